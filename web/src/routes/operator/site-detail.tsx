import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { Site } from '#sdk';
import { addressOf } from '../../api/sites.ts';
import { BackLink } from '../../layout/back-link.tsx';
import { EventFeed } from '../../layout/event-feed.tsx';
import { Loaded } from '../../layout/loaded.tsx';
import { SiteStateBadge } from '../../layout/site-state.tsx';
import { TeamBadges } from '../../layout/team-badges.tsx';
import { Section } from '../../ui/card.tsx';
import { Definitions } from '../../ui/definitions.tsx';
import { formatBytes, formatCount } from '../../ui/format.ts';
import { OpenIcon } from '../../ui/icons.ts';
import { PageHeader } from '../../ui/page.tsx';
import { DateOnly, Time } from '../../ui/time.tsx';
import { anyEventsQuery, anySiteQuery } from './operator-queries.ts';

const route = getRouteApi('/app/operator/sites/$siteId');

export function OperatorSitePage() {
  const { siteId } = route.useParams();
  const query = useQuery(anySiteQuery(siteId));
  return <Loaded query={query}>{(site) => <SiteDetail site={site} />}</Loaded>;
}

const link = 'rounded underline-offset-4 hover:underline';

function SiteDetail({ site }: { site: Site }) {
  const events = useInfiniteQuery(anyEventsQuery({ site_id: site.id }));
  const text = (name: string) => (typeof site.properties[name] === 'string' ? String(site.properties[name]) : '–');
  return (
    <>
      <PageHeader
        title={site.fqdn}
        badges={<SiteStateBadge site={site} />}
        back={
          <BackLink to="/operator" search={{ tab: 'sites' }}>
            Sites
          </BackLink>
        }
        action={
          <a
            href={addressOf(site.fqdn)}
            target="_blank"
            rel="noreferrer"
            className={`${link} inline-flex h-9 items-center gap-2`}
          >
            Open the site <OpenIcon className="size-3.5" />
            <span className="sr-only"> (in a new tab)</span>
          </a>
        }
      />
      <div className="grid gap-6 xl:grid-cols-[minmax(0,1fr)_22rem] xl:items-start">
        <div className="order-2 min-w-0 xl:order-1">
          <h2 className="mb-3 font-semibold text-sm">Activity</h2>
          <EventFeed
            asOperator
            query={events}
            empty={{ title: 'Nothing yet', text: 'What happens to the site shows here.' }}
          />
        </div>
        <div className="order-1 grid min-w-0 gap-6 xl:order-2">
          <Section title="Site">
            <Definitions
              rows={[
                ['WordPress', text('core_version')],
                ['PHP', text('php_version')],
                ['Visits this cycle', formatCount(site.current_cycle_visits)],
                ['Bandwidth', formatBytes(site.current_cycle_bandwidth)],
                ['Storage', formatBytes(site.current_storage)],
                ['Newest backup', <Time key="backup" iso={site.max_restore_point} />],
                ['Since', <DateOnly key="since" iso={site.created_at} />],
                [
                  'Id',
                  <code key="id" className="break-all font-mono text-xs">
                    {site.id}
                  </code>,
                ],
              ]}
            />
          </Section>
          <Section title="Team" action={<TeamBadges team={site.team} />}>
            <Definitions
              rows={[
                [
                  'Name',
                  <Link key="team" to="/operator/teams/$teamId" params={{ teamId: site.team_id }} className={link}>
                    {site.team.name}
                  </Link>,
                ],
                [
                  'Owner',
                  <Link
                    key="owner"
                    to="/operator/people/$userId"
                    params={{ userId: site.team.user_id }}
                    className={link}
                  >
                    {site.team.user.full_name}
                  </Link>,
                ],
              ]}
            />
          </Section>
        </div>
      </div>
    </>
  );
}
