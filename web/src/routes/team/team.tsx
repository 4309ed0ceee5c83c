import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { Team } from '#sdk';
import { atLeast } from '../../api/roles.ts';
import { teamQuery } from '../../api/teams.ts';
import { BackLink } from '../../layout/back-link.tsx';
import { Loaded } from '../../layout/loaded.tsx';
import { TeamBadges } from '../../layout/team-badges.tsx';
import { Alert } from '../../ui/alert.tsx';
import { PageHeader } from '../../ui/page.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { type Tab, Tabs } from '../../ui/tabs.tsx';
import { LimitedTeam } from './limited-team.tsx';
import { ManageBillingButton } from './manage-billing.tsx';
import { PlanState } from './plan-state.tsx';
import { TeamActivity } from './team-activity.tsx';
import { TeamMembers } from './team-members.tsx';
import { TeamOverview } from './team-overview.tsx';
import { TeamPasswords } from './team-passwords.tsx';
import { TeamPlan } from './team-plan.tsx';
import { teamBillingQuery } from './team-queries.ts';
import { TeamTickets } from './team-tickets.tsx';
import { TeamWebhooks } from './team-webhooks.tsx';

const route = getRouteApi('/app/teams/$teamId');

export function TeamPage() {
  const { teamId } = route.useParams();
  const query = useQuery(teamQuery(teamId));
  return (
    <Loaded query={query} loading={<TeamLoading />}>
      {(team) => <TeamView team={team} />}
    </Loaded>
  );
}

function TeamView({ team }: { team: Team }) {
  const { tab = 'overview' } = route.useSearch();
  const navigate = route.useNavigate();
  const tabs: Tab[] = [
    { value: 'overview', label: 'Overview', content: <TeamOverview team={team} /> },
    { value: 'plan', label: 'Usage & billing', content: <TeamPlan team={team} /> },
    { value: 'members', label: 'Members', content: <TeamMembers team={team} /> },
    // Addresses of receivers often hold a secret, so whoever may not change them does not see them.
    ...(atLeast(team.role, 'admin')
      ? [{ value: 'webhooks', label: 'Webhooks', content: <TeamWebhooks team={team} /> }]
      : []),
    { value: 'passwords', label: 'Application passwords', content: <TeamPasswords team={team} /> },
    { value: 'tickets', label: 'Tickets', content: <TeamTickets team={team} /> },
    { value: 'activity', label: 'Activity', content: <TeamActivity team={team} /> },
  ];
  if (team.is_limited) return <LimitedTeam team={team} />;
  return (
    <>
      <PageHeader title={team.name} badges={<TeamBadges team={team} />} back={<BackLink to="/teams">Teams</BackLink>} />
      {!team.is_active && (
        <Alert tone="danger" className="mb-6">
          An operator of the platform has suspended this team. Its sites show a page that says so. Open a ticket to have
          it reviewed.
        </Alert>
      )}
      {tab !== 'plan' && atLeast(team.role, 'admin') && <PaymentTrouble team={team} />}
      <Tabs
        tabs={tabs}
        value={tabs.some((item) => item.value === tab) ? tab : 'overview'}
        onValueChange={(next) =>
          void navigate({ search: next === 'overview' ? {} : { tab: next }, replace: true, resetScroll: false })
        }
      />
    </>
  );
}

/** What happens to the sites of a team that does not pay must not wait until somebody looks at its plan. */
function PaymentTrouble({ team }: { team: Team }) {
  const { data: billing } = useQuery(teamBillingQuery(team.id));
  if (!billing?.unpaid_since) return null;
  const isOwner = team.role === 'owner';
  const canPay = isOwner && billing.provider !== null && billing.plan_name !== 'free';
  return (
    <div className="mb-6">
      <PlanState billing={billing} isOwner={isOwner} action={canPay && <ManageBillingButton />} />
    </div>
  );
}

function TeamLoading() {
  return (
    <div role="status" className="grid gap-6">
      <span className="sr-only">Loading</span>
      <Skeleton className="h-8 w-56" />
      <Skeleton className="h-10" />
      <Skeleton className="h-64 rounded-xl" />
    </div>
  );
}
