import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEffect } from 'react';
import type { Site, Team } from '#sdk';
import { chooseTeam, myTeamsQuery, useCurrentTeam } from '../../api/current-team.ts';
import { teamEventsQuery } from '../../api/events.ts';
import { attentionQuery, recentSitesQuery } from '../../api/home-queries.ts';
import { atLeast } from '../../api/roles.ts';
import { EventList } from '../../layout/event-list.tsx';
import { Loaded } from '../../layout/loaded.tsx';
import { SiteCard, SiteCards } from '../../layout/site-card.tsx';
import { buttonStyle } from '../../ui/button.tsx';
import { Card, Section } from '../../ui/card.tsx';
import { Empty } from '../../ui/empty.tsx';
import { PlusIcon, SitesIcon, TeamsIcon } from '../../ui/icons.ts';
import { PageHeader } from '../../ui/page.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { Attention } from './attention.tsx';
import { FirstSteps } from './first-steps.tsx';
import { Totals } from './totals.tsx';

const FEED = 6;

export function HomePage() {
  const team = useCurrentTeam();
  const isTeamless = useQuery(myTeamsQuery).data?.count === 0;
  const teamId = team?.id;
  // The next visit asks for it before it knows who is there.
  useEffect(() => {
    if (teamId !== undefined) chooseTeam(teamId);
  }, [teamId]);
  return (
    <>
      <PageHeader
        title="Home"
        action={
          atLeast(team?.role, 'member') && (
            <Link to="/sites/new" search={{ team: team?.id }} className={buttonStyle()}>
              <PlusIcon /> New site
            </Link>
          )
        }
      />
      {isTeamless && <NoTeam />}
      {!team && !isTeamless && <HomeLoading />}
      {team && (team.is_limited ? <LimitedHome key={team.id} team={team} /> : <TeamHome key={team.id} team={team} />)}
    </>
  );
}

/** Whoever sees some sites alone sees nothing of the rest of the team, so neither what it needs nor what it did. */
function LimitedHome({ team }: { team: Team }) {
  return (
    <Loaded query={useQuery(recentSitesQuery(team.id))} loading={<Skeleton className="h-96 rounded-xl" />}>
      {({ count, results }) =>
        count > 0 ? (
          <NewestSites count={count} sites={results} />
        ) : (
          <Card>
            <Empty icon={<SitesIcon />} title="No sites yet">
              The sites of {team.name} that you are given access to are shown here.
            </Empty>
          </Card>
        )
      }
    </Loaded>
  );
}

function TeamHome({ team }: { team: Team }) {
  const attention = useQuery(attentionQuery(team.id));
  const sites = useQuery(recentSitesQuery(team.id));
  const events = useInfiniteQuery(teamEventsQuery(team.id));
  const feed = events.data?.pages.flatMap((page) => page.results);
  // With one site it depends on what happened whether the first steps are shown above everything else: nothing may jump.
  const isFeedNeeded = sites.data?.count === 1 && !events.isError;
  const isReady = !isFeedNeeded || feed !== undefined;
  const both = attention.data && sites.data && isReady && { ...attention.data, recent: sites.data.results };
  return (
    <Loaded query={{ ...(attention.error ? attention : sites), data: both || undefined }} loading={<HomeLoading />}>
      {({ items, sites: counts, recent }) => (
        <div className="grid grid-cols-1 gap-6">
          <FirstSteps team={team} count={counts.total} newest={recent[0]} events={feed} />
          {counts.total > 0 && (
            <>
              <Totals team={team} sites={counts} />
              <div className="grid grid-cols-1 items-start gap-6 xl:grid-cols-[minmax(0,2fr)_minmax(0,1fr)]">
                <div className="grid grid-cols-1 gap-6">
                  <Attention team={team} items={items} />
                  <NewestSites count={counts.total} sites={recent} />
                </div>
                <Section
                  title="Recent activity"
                  action={
                    <Link to="/activity" className="rounded text-accent-text underline-offset-4 hover:underline">
                      All activity
                    </Link>
                  }
                  flush
                >
                  <Loaded query={{ ...events, data: feed }}>
                    {(list) => <EventList events={list.slice(0, FEED)} />}
                  </Loaded>
                </Section>
              </div>
            </>
          )}
        </div>
      )}
    </Loaded>
  );
}

function NewestSites({ count, sites }: { count: number; sites: Site[] }) {
  return (
    <section aria-labelledby="recent">
      <div className="mb-3 flex items-center justify-between">
        <h2 id="recent" className="font-semibold text-sm">
          Newest sites
        </h2>
        <Link to="/sites" className="rounded text-accent-text underline-offset-4 hover:underline">
          All {count === 1 ? 'sites' : `${count} sites`}
        </Link>
      </div>
      <SiteCards>
        {sites.map((site) => (
          <li key={site.id} className="grid min-w-0">
            <SiteCard site={site} isFirst />
          </li>
        ))}
      </SiteCards>
    </section>
  );
}

function NoTeam() {
  return (
    <Card>
      <Empty
        icon={<TeamsIcon />}
        title="You are not in a team"
        action={
          <Link to="/teams/new" className={buttonStyle()}>
            New team
          </Link>
        }
      >
        Create one, or ask the owner of a team to invite you.
      </Empty>
    </Card>
  );
}

/** As high as what comes, so that nothing moves when it does. */
function HomeLoading() {
  return (
    <div role="status" className="grid gap-6">
      <span className="sr-only">Loading</span>
      <div className="grid grid-cols-2 gap-4 lg:grid-cols-4">
        {[0, 1, 2, 3].map((stat) => (
          <Skeleton key={stat} className="h-37 rounded-xl" />
        ))}
      </div>
      <Skeleton className="h-96 rounded-xl" />
    </div>
  );
}
