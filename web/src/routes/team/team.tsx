import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { type ReactNode, useEffect } from 'react';
import type { Team } from '#sdk';
import { chooseTeam } from '../../api/current-team.ts';
import { atLeast } from '../../api/roles.ts';
import { teamQuery } from '../../api/teams.ts';
import { DevelopersFrame } from '../../layout/developers-frame.tsx';
import { Loaded } from '../../layout/loaded.tsx';
import { NotFound } from '../../layout/problem-pages.tsx';
import { TeamBadges } from '../../layout/team-badges.tsx';
import { Alert } from '../../ui/alert.tsx';
import { LinkTabs } from '../../ui/link-tabs.tsx';
import { PageHeader } from '../../ui/page.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
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

/** A page of a team: what stands above it, and what it shows. Undefined where there is none of this name for this person. */
type PageOf = (team: Team) => { title: string; frame?: 'team' | 'developers'; content: ReactNode } | undefined;

const pages: Record<string, PageOf> = {
  '': (team) => ({ title: team.name, frame: 'team', content: <TeamOverview team={team} /> }),
  activity: (team) => ({ title: team.name, frame: 'team', content: <TeamActivity team={team} /> }),
  tickets: (team) => ({ title: team.name, frame: 'team', content: <TeamTickets team={team} /> }),
  billing: (team) => ({ title: 'Usage & billing', content: <TeamPlan team={team} /> }),
  members: (team) => ({ title: 'Members', content: <TeamMembers team={team} /> }),
  webhooks: (team) =>
    atLeast(team.role, 'admin')
      ? { title: 'Developers', frame: 'developers', content: <TeamWebhooks team={team} /> }
      : undefined,
  passwords: (team) => ({ title: 'Developers', frame: 'developers', content: <TeamPasswords team={team} /> }),
};

export function TeamPage() {
  const { teamId = '', page = '' } = useParams({ strict: false });
  const query = useQuery(teamQuery(teamId));
  useEffect(() => chooseTeam(teamId), [teamId]);
  return (
    <Loaded query={query} loading={<TeamLoading />}>
      {(team) => <TeamView team={team} page={page} />}
    </Loaded>
  );
}

function TeamView({ team, page }: { team: Team; page: string }) {
  if (team.is_limited) return <LimitedTeam team={team} />;
  const shown = pages[page]?.(team);
  if (!shown) return <NotFound />;
  const notes = (
    <>
      {!team.is_active && (
        <Alert tone="danger" className="mb-6">
          An operator of the platform has suspended this team. Its sites show a page that says so. Open a ticket to have
          it reviewed.
        </Alert>
      )}
      {page !== 'billing' && atLeast(team.role, 'admin') && <PaymentTrouble team={team} />}
    </>
  );
  if (shown.frame === 'developers')
    return (
      <DevelopersFrame>
        {notes}
        {shown.content}
      </DevelopersFrame>
    );
  return (
    <>
      <PageHeader title={shown.title} badges={<TeamBadges team={team} />} />
      {shown.frame === 'team' && <TeamLinks teamId={team.id} />}
      {notes}
      {shown.content}
    </>
  );
}

function TeamLinks({ teamId }: { teamId: string }) {
  return (
    <LinkTabs
      label="Team"
      links={[
        { label: 'Team settings', to: '/teams/$teamId', params: { teamId } },
        { label: 'Team activity', to: '/teams/$teamId/$page', params: { teamId, page: 'activity' } },
        { label: 'Team tickets', to: '/teams/$teamId/$page', params: { teamId, page: 'tickets' } },
      ]}
    />
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
      <Skeleton className="h-9 w-56" />
      <Skeleton className="h-64 rounded-xl" />
    </div>
  );
}
