import type { Site } from '#sdk';
import { type SiteState, stateOf } from '../api/sites.ts';
import { Badge } from '../ui/badge.tsx';
import { LockIcon, MoonIcon, WarningIcon } from '../ui/icons.ts';
import { Spinner } from '../ui/spinner.tsx';

const tones = {
  live: 'accent',
  protected: 'warn',
  pending: 'warn',
  asleep: 'neutral',
  failing: 'danger',
  busy: 'warn',
  stopped: 'danger',
} as const;

const marks: Record<SiteState['kind'], React.ReactNode> = {
  live: <span className="size-1.5 rounded-full bg-accent" />,
  protected: <LockIcon className="size-3" />,
  pending: <span className="size-1.5 rounded-full bg-warn" />,
  failing: <WarningIcon className="size-3" />,
  asleep: <MoonIcon className="size-3" />,
  busy: <Spinner className="size-3" />,
  stopped: null,
};

/** Of the site, or of its stage, which sleeps by itself. */
export function SiteStateBadge({ site, stage }: { site: Site; stage?: Site['site_stage'] }) {
  const { kind, label } = stage ? stageState(site, stage) : stateOf(site);
  return (
    <Badge tone={tones[kind]}>
      {marks[kind]} {label}
    </Badge>
  );
}

/** Nobody but its makers is meant to come to a stage, so that only what it is at is said of it. */
function stageState(site: Site, stage: NonNullable<Site['site_stage']>): SiteState {
  const { kind, label } = stateOf(site);
  if (kind === 'busy' || kind === 'stopped') return { kind, label };
  return stage.is_sleeping ? { kind: 'asleep', label: 'Sleeping' } : { kind: 'live', label: 'Running' };
}
