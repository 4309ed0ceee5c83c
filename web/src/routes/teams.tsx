import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { Team } from '#sdk';
import { useMe } from '../api/session.ts';
import { teamsQuery } from '../api/teams.ts';
import { Listing } from '../layout/listing.tsx';
import { TeamBadges } from '../layout/team-badges.tsx';
import { buttonStyle } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { Empty } from '../ui/empty.tsx';
import { formatBytes, formatCount } from '../ui/format.ts';
import { PlusIcon, TeamsIcon } from '../ui/icons.ts';
import { Meter } from '../ui/meter.tsx';
import { PageHeader } from '../ui/page.tsx';
import { Skeleton } from '../ui/skeleton.tsx';

const route = getRouteApi('/app/teams');

export function TeamsPage() {
  const { page = 1 } = route.useSearch();
  const navigate = route.useNavigate();
  const query = useQuery(teamsQuery(page));
  return (
    <>
      <PageHeader
        title="Teams"
        description="A team owns sites, holds a plan and brings people together."
        action={
          <Link to="/teams/new" className={buttonStyle()}>
            <PlusIcon /> New team
          </Link>
        }
      />
      <Listing
        query={query}
        loading={<TeamsLoading />}
        onPage={(next) => void navigate({ search: { page: next } })}
        empty={
          <Card>
            <Empty icon={<TeamsIcon />} title="You are not in a team">
              Create one, or ask the owner of a team to invite you.
            </Empty>
          </Card>
        }
      >
        {(teams) => (
          <ul className="grid gap-4 md:grid-cols-2">
            {teams.map((team) => (
              <TeamCard key={team.id} team={team} />
            ))}
          </ul>
        )}
      </Listing>
    </>
  );
}

function TeamCard({ team }: { team: Team }) {
  const me = useMe();
  return (
    <li className="relative grid min-w-0 grid-cols-1 content-start gap-6 rounded-xl border border-line bg-surface p-5 shadow-card transition-colors hover:border-line-strong">
      <div className="flex items-start gap-3">
        <div
          aria-hidden="true"
          className="grid size-10 shrink-0 place-items-center rounded-lg bg-accent-soft font-semibold text-accent-text"
        >
          {[...team.name][0]?.toUpperCase()}
        </div>
        <div className="min-w-0 flex-1">
          <h2 className="truncate font-semibold">
            <Link
              to="/teams/$teamId"
              params={{ teamId: team.id }}
              className="rounded after:absolute after:inset-0 after:rounded-xl"
            >
              {team.name}
            </Link>
          </h2>
          <p className="truncate text-muted text-xs leading-5">
            {team.user_id === me.id ? 'Owned by you' : `Owned by ${team.user.full_name}`}
          </p>
        </div>
        <div className="flex flex-col items-end gap-1.5">
          <TeamBadges team={team} />
        </div>
      </div>
      <div className="grid gap-x-6 gap-y-4 sm:grid-cols-2">
        <Meter
          label="Visits"
          percentage={team.visits_usage_percentage}
          text={`of ${formatCount(team.plan_type.visits)}`}
        />
        <Meter
          label="Storage"
          percentage={team.storage_usage_percentage}
          text={`of ${formatBytes(team.plan_type.storage_bytes)}`}
        />
      </div>
    </li>
  );
}

function TeamsLoading() {
  return (
    <div role="status" className="grid gap-4 md:grid-cols-2">
      <span className="sr-only">Loading</span>
      <Skeleton className="h-44 rounded-xl" />
      <Skeleton className="h-44 rounded-xl" />
    </div>
  );
}
