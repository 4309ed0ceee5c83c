import type { Site } from '#sdk';
import { type SiteState, stateOf } from '../api/sites.ts';
import { Badge } from '../ui/badge.tsx';
import { MoonIcon } from '../ui/icons.ts';
import { Spinner } from '../ui/spinner.tsx';

const tones = { ready: 'accent', asleep: 'neutral', busy: 'warn', stopped: 'danger' } as const;

const marks: Record<SiteState['kind'], React.ReactNode> = {
  ready: <span className="size-1.5 rounded-full bg-accent" />,
  asleep: <MoonIcon className="size-3" />,
  busy: <Spinner className="size-3" />,
  stopped: null,
};

/** Of the site, or of its stage, which sleeps by itself. */
export function SiteStateBadge({ site, stage }: { site: Site; stage?: Site['site_stage'] }) {
  const { kind, label } = stateOf(stage ? { ...site, is_sleeping: stage.is_sleeping } : site);
  return (
    <Badge tone={tones[kind]}>
      {marks[kind]} {label}
    </Badge>
  );
}
