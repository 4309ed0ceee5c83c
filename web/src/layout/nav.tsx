import { queryOptions, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link, type LinkProps } from '@tanstack/react-router';
import { api } from '../api/client.ts';

import { eventsQuery } from '../api/events.ts';
import { useMe } from '../api/session.ts';
import {
  ActivityIcon,
  DocsIcon,
  MetricsIcon,
  OpenIcon,
  OperatorIcon,
  SitesIcon,
  TeamsIcon,
  TicketsIcon,
} from '../ui/icons.ts';

const link =
  'flex h-9 any-pointer-coarse:h-11 items-center gap-3 rounded-lg px-2.5 font-medium text-muted text-sm hover:bg-raised hover:text-fg aria-[current=page]:bg-raised aria-[current=page]:text-fg';

type Item = { to: LinkProps['to']; label: string; Icon: typeof TeamsIcon };

const items: Item[] = [
  { to: '/sites', label: 'Sites', Icon: SitesIcon },
  { to: '/teams', label: 'Teams', Icon: TeamsIcon },
  { to: '/tickets', label: 'Tickets', Icon: TicketsIcon },
  { to: '/activity', label: 'Activity', Icon: ActivityIcon },
];

export function Nav({ onNavigate }: { onNavigate?: () => void }) {
  const me = useMe();
  return (
    <nav aria-label="Main" className="grid gap-6">
      <ul className="grid gap-0.5">
        {items.map((item) => (
          <li key={item.to}>
            <Link to={item.to} onClick={onNavigate} className={link}>
              <item.Icon className="size-4.5" />
              {item.label}
              {item.to === '/activity' && <UnreadCount />}
            </Link>
          </li>
        ))}
        <li>
          {/* Pages of their own, outside of the dashboard. */}
          <a href="/docs" className={link}>
            <DocsIcon className="size-4.5" />
            Docs
          </a>
        </li>
      </ul>
      {me.is_superuser && (
        <div>
          <p className="px-2.5 pb-1.5 text-muted text-xs">Platform</p>
          <Link to="/operator" onClick={onNavigate} className={link}>
            <OperatorIcon className="size-4.5" />
            Operator
          </Link>
          <MetricsLink />
        </div>
      )}
    </nav>
  );
}

/** To the operator's Grafana, where one is configured. */
function MetricsLink() {
  const { data } = useQuery(metricsDashboardQuery);
  if (!data?.url) return null;
  return (
    <a href={data.url} target="_blank" rel="noreferrer" className={link}>
      <MetricsIcon className="size-4.5" />
      Metrics
      <OpenIcon className="ml-auto size-3.5" />
      <span className="sr-only"> (opens in a new tab)</span>
    </a>
  );
}

/** Counted over the newest page alone, so it is exact up to 50. */
function UnreadCount() {
  const { data } = useInfiniteQuery(eventsQuery);
  const unread = data?.pages[0]?.results.filter((event) => event.unread).length ?? 0;
  if (unread === 0) return null;
  return (
    <span className="ml-auto rounded-full bg-accent-soft px-1.5 font-medium text-accent-text text-xs tabular-nums">
      {unread >= 50 ? '50+' : unread}
      <span className="sr-only"> unread</span>
    </span>
  );
}

const metricsDashboardQuery = queryOptions({
  queryKey: ['metrics-dashboard'],
  queryFn: ({ signal }) => api.getMetricsDashboard({ signal }),
  staleTime: Number.POSITIVE_INFINITY,
});
