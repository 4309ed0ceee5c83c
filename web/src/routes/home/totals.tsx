import { useQuery } from '@tanstack/react-query';
import type { Team, TeamAttention } from '#sdk';
import { formatBytes, formatCount } from '../../ui/format.ts';
import { Stat } from '../../ui/stat.tsx';
import { lastFortnight, teamUsageQuery } from '../../usage/usage-queries.ts';

/** The team in four figures. */
export function Totals({ team, sites }: { team: Team; sites: TeamAttention['sites'] }) {
  const points = useQuery(teamUsageQuery(team.id, lastFortnight)).data?.points;
  const sum = (of: 'visits' | 'bytes') => points?.reduce((total, point) => total + point[of], 0) ?? 0;
  const states = [
    sites.awake > 0 && `${sites.awake} running`,
    sites.asleep > 0 && `${sites.asleep} sleeping`,
    sites.busy > 0 && `${sites.busy} busy`,
  ].filter(Boolean);
  return (
    <div className="grid grid-cols-2 gap-4 lg:grid-cols-4">
      <Stat name="Sites" value={formatCount(sites.total)} hint={states.join(', ')} />
      <Stat
        name="Visits"
        value={formatCount(sum('visits'))}
        hint="in the last 14 days"
        points={points?.map(({ visits }) => visits)}
      />
      <Stat
        name="Bandwidth"
        value={formatBytes(sum('bytes'))}
        hint="in the last 14 days"
        points={points?.map(({ bytes }) => bytes)}
      />
      <Stat
        name="Storage"
        value={formatBytes(team.storage_usage)}
        hint={`${Math.round(team.storage_usage_percentage)}% of ${formatBytes(team.plan_type.storage_bytes)}`}
      />
    </div>
  );
}
