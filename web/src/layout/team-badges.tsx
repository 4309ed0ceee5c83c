import type { Team } from '#sdk';
import { Badge } from '../ui/badge.tsx';
import { capitalise } from '../ui/format.ts';

export function TeamBadges({ team }: { team: Team }) {
  return (
    <>
      <Badge tone={team.plan_type_name === 'free' ? 'neutral' : 'accent'}>{capitalise(team.plan_type_name)}</Badge>
      {!team.is_active && <Badge tone="danger">Suspended</Badge>}
      {team.is_expired && <Badge tone="warn">Unpaid</Badge>}
      {team.cancel_at_period_end && <Badge tone="warn">Canceled</Badge>}
    </>
  );
}
