import { queryOptions, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link, type LinkProps, useLocation } from '@tanstack/react-router';
import type { LucideIcon } from 'lucide-react';
import { api } from '../api/client.ts';
import { useCurrentTeam } from '../api/current-team.ts';
import { eventsQuery } from '../api/events.ts';
import { useMe } from '../api/session.ts';
import {
  ActivityIcon,
  BillingIcon,
  DevelopersIcon,
  DocsIcon,
  HomeIcon,
  MetricsIcon,
  OpenIcon,
  OperatorIcon,
  SitesIcon,
  SupportIcon,
  TeamsIcon,
  TemplateIcon,
} from '../ui/icons.ts';
import { navHeading, navLink } from './nav-link.ts';
import { TeamSwitcher } from './team-switcher.tsx';

type NavProps = { onNavigate?: (() => void) | undefined };

/** The side bar of a team: everything but the pages of one site. */
export function Nav({ onNavigate }: NavProps) {
  const me = useMe();
  const team = useCurrentTeam();
  const { pathname } = useLocation();
  // Two of its pages belong to the team, and have their address there.
  const isAtDevelopers = /^\/(developers|teams\/[^/]+\/(webhooks|passwords))(\/|$)/.test(pathname);
  const item = (label: string, Icon: LucideIcon, to: LinkProps, more?: React.ReactNode) => (
    <li>
      <Link {...to} onClick={onNavigate} activeOptions={{ includeSearch: false }} className={navLink}>
        <Icon /> {label} {more}
      </Link>
    </li>
  );
  const ofTeam = (page: string): LinkProps => ({
    to: '/teams/$teamId/$page',
    params: { teamId: team?.id ?? '', page },
  });
  return (
    <div className="grid gap-4">
      <TeamSwitcher onNavigate={onNavigate} />
      <nav aria-label="Main">
        <ul className="grid gap-0.5">
          <li>
            <Link to="/" activeOptions={{ exact: true }} onClick={onNavigate} className={navLink}>
              <HomeIcon /> Home
            </Link>
          </li>
          {item('Sites', SitesIcon, { to: '/sites' })}
          {item('Templates', TemplateIcon, { to: '/templates' })}
          {item('Activity', ActivityIcon, { to: '/activity' }, <UnreadCount />)}
          {item('Support', SupportIcon, { to: '/tickets' })}
          {/* Whoever is in it for some sites alone sees neither. */}
          {!team?.is_limited && item('Usage & billing', BillingIcon, ofTeam('billing'))}
          {!team?.is_limited && item('Members', TeamsIcon, ofTeam('members'))}
          <li>
            <Link
              to="/developers/$page"
              params={{ page: 'tokens' }}
              onClick={onNavigate}
              {...(isAtDevelopers && { 'aria-current': 'page' })}
              className={navLink}
            >
              <DevelopersIcon /> Developers
            </Link>
          </li>
          <li>
            {/* Pages of their own, outside of the dashboard. */}
            <a href="/docs" className={navLink}>
              <DocsIcon /> Docs
            </a>
          </li>
        </ul>
        {me.is_superuser && (
          <>
            <p className={navHeading}>Platform</p>
            <ul className="grid gap-0.5">
              {item('Operator', OperatorIcon, { to: '/operator' })}
              <MetricsLink />
            </ul>
          </>
        )}
      </nav>
    </div>
  );
}

/** To the operator's Grafana, where one is configured. */
function MetricsLink() {
  const { data } = useQuery(metricsDashboardQuery);
  if (!data?.url) return null;
  return (
    <li>
      <a href={data.url} target="_blank" rel="noreferrer" className={navLink}>
        <MetricsIcon /> Metrics
        <OpenIcon className="ml-auto size-3.5!" />
        <span className="sr-only"> (opens in a new tab)</span>
      </a>
    </li>
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
