import type { ComponentType } from 'react';
import { cx } from '../../ui/cx.ts';
import {
  CommentIcon,
  CoreIcon,
  DeployIcon,
  EmptyPageIcon,
  FileIcon,
  FlagIcon,
  HistoryIcon,
  MediaIcon,
  MoreIcon,
  OrderIcon,
  PersonIcon,
  PluginsIcon,
  SettingsIcon,
  ThemeIcon,
} from '../../ui/icons.ts';
import type { MomentKind } from './moments.ts';

const icons: Record<MomentKind, ComponentType<{ className?: string }>> = {
  restore: HistoryIcon,
  commit: DeployIcon,
  deploy: DeployIcon,
  first: FlagIcon,
  more: MoreIcon,
  core: CoreIcon,
  plugin: PluginsIcon,
  theme: ThemeIcon,
  content: EmptyPageIcon,
  order: OrderIcon,
  user: PersonIcon,
  comment: CommentIcon,
  media: MediaIcon,
  setting: SettingsIcon,
  file: FileIcon,
};

/** What people did through the platform stands out from what they did in WordPress, and code from content. */
const tones: Partial<Record<MomentKind, string>> = {
  restore: 'bg-warn-soft text-warn-text',
  commit: 'bg-accent-soft text-accent-text',
  deploy: 'bg-accent-soft text-accent-text',
};

export function MomentIcon({ kind, className }: { kind: MomentKind; className?: string }) {
  const Icon = icons[kind];
  return (
    <span
      aria-hidden
      className={cx(
        'grid size-7 shrink-0 place-items-center rounded-full',
        tones[kind] ?? 'bg-raised text-muted',
        className,
      )}
    >
      <Icon className="size-3.5" />
    </span>
  );
}
