import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { Suspense, useEffect } from 'react';
import type { Team } from '#sdk';
import { chooseTeam } from '../../api/current-team.ts';
import { atLeast } from '../../api/roles.ts';
import { teamQuery } from '../../api/teams.ts';
import { DevelopersFrame } from '../../layout/developers-frame.tsx';
import { type LazyView, lazyView } from '../../layout/lazy-view.ts';
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
import { teamBillingQuery } from './team-queries.ts';

type TeamView = LazyView<{ team: Team }>;

/** A page of a team: what stands above it, and what it shows, which is loaded with the first look at it. */
type PageOfTeam = { title?: string; frame?: 'team' | 'developers'; isFor?: (team: Team) => boolean; shown: TeamView };

const pages: Record<string, PageOfTeam> = {
  '': { frame: 'team', shown: lazyView(() => import('./team-overview.tsx').then((it) => it.TeamOverview)) },
  activity: { frame: 'team', shown: lazyView(() => import('./team-activity.tsx').then((it) => it.TeamActivity)) },
  tickets: { frame: 'team', shown: lazyView(() => import('./team-tickets.tsx').then((it) => it.TeamTickets)) },
  billing: {
    title: 'Usage & billing',
    shown: lazyView(() => import('./team-plan.tsx').then((it) => it.TeamPlan)),
  },
  members: { title: 'Members', shown: lazyView(() => import('./team-members.tsx').then((it) => it.TeamMembers)) },
  webhooks: {
    frame: 'developers',
    isFor: (team) => atLeast(team.role, 'admin'),
    shown: lazyView(() => import('./team-webhooks.tsx').then((it) => it.TeamWebhooks)),
  },
  passwords: {
    frame: 'developers',
    shown: lazyView(() => import('./team-passwords.tsx').then((it) => it.TeamPasswords)),
  },
};

/** Undefined where there is none of this name. */
const pageOf = (name: string): PageOfTeam | undefined => (Object.hasOwn(pages, name) ? pages[name] : undefined);

export function TeamPage() {
  const { teamId = '', page = '' } = useParams({ strict: false });
  // Beside the question for the team, and not after it.
  pageOf(page)?.shown.preload();
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
  const { title = team.name, frame, isFor = () => true, shown } = pageOf(page) ?? {};
  if (!shown || !isFor(team)) return <NotFound />;
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
  const content = (
    <Suspense fallback={<Skeleton className="h-64 rounded-xl" />}>
      <shown.View team={team} />
    </Suspense>
  );
  if (frame === 'developers')
    return (
      <DevelopersFrame>
        {notes}
        {content}
      </DevelopersFrame>
    );
  return (
    <>
      <PageHeader title={title} badges={<TeamBadges team={team} />} />
      {frame === 'team' && <TeamLinks teamId={team.id} />}
      {notes}
      {content}
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
