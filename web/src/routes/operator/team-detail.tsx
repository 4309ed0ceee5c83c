import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { Team } from '#sdk';
import { api } from '../../api/client.ts';
import { BackLink } from '../../layout/back-link.tsx';
import { EventFeed } from '../../layout/event-feed.tsx';
import { Listing } from '../../layout/listing.tsx';
import { Loaded } from '../../layout/loaded.tsx';
import { TeamBadges } from '../../layout/team-badges.tsx';
import { Avatar } from '../../ui/avatar.tsx';
import { Button } from '../../ui/button.tsx';
import { Section } from '../../ui/card.tsx';
import { ConfirmAction } from '../../ui/confirm-action.tsx';
import { Definitions } from '../../ui/definitions.tsx';
import { Empty } from '../../ui/empty.tsx';
import { messageOf } from '../../ui/form.tsx';
import { capitalise, formatBytes, formatCount } from '../../ui/format.ts';
import { BillingIcon, LockIcon, MoreIcon, SitesIcon } from '../../ui/icons.ts';
import { Menu, MenuItem } from '../../ui/menu.tsx';
import { PageHeader } from '../../ui/page.tsx';
import { DateOnly } from '../../ui/time.tsx';
import { toast } from '../../ui/toast.tsx';
import { allSitesQuery, anyEventsQuery, anyMembersQuery, anyTeamQuery } from './operator-queries.ts';
import { SiteTable } from './operator-sites.tsx';
import { PlanDialog } from './plan-dialog.tsx';

const route = getRouteApi('/app/operator/teams/$teamId');

export function OperatorTeamPage() {
  const { teamId } = route.useParams();
  const query = useQuery(anyTeamQuery(teamId));
  return <Loaded query={query}>{(team) => <TeamDetail team={team} />}</Loaded>;
}

function TeamDetail({ team }: { team: Team }) {
  const [page, setPage] = useState(1);
  const sites = useQuery(allSitesQuery({ team_id: team.id }, page));
  const events = useInfiniteQuery(anyEventsQuery({ team_id: team.id }));
  return (
    <>
      <PageHeader
        title={team.name}
        description={`${team.user.full_name} · ${team.user.email}`}
        badges={<TeamBadges team={team} />}
        back={
          <BackLink to="/operator" search={{ tab: 'teams' }}>
            Teams
          </BackLink>
        }
        action={<TeamActions team={team} />}
      />
      <div className="grid gap-6 xl:grid-cols-[minmax(0,1fr)_22rem] xl:items-start">
        <div className="grid min-w-0 gap-6">
          <Section title="Sites" flush>
            <Listing query={sites} onPage={setPage} empty={<Empty icon={<SitesIcon />} title="No sites" />}>
              {(rows) => <SiteTable sites={rows} />}
            </Listing>
          </Section>
          <div>
            <h2 className="mb-3 font-semibold text-sm">Activity</h2>
            <EventFeed
              asOperator
              query={events}
              empty={{ title: 'Nothing yet', text: 'What happens in the team shows here.' }}
            />
          </div>
        </div>
        <div className="grid min-w-0 gap-6">
          <Section title="Plan and use">
            <Definitions
              rows={[
                ['Plan', capitalise(team.plan_type_name)],
                ['Paid', team.interval ? `By the ${team.interval}` : 'No subscription'],
                ['Visits this cycle', `${formatCount(team.current_cycle_visits)} (${team.visits_usage_percentage}%)`],
                ['Storage', `${formatBytes(team.storage_usage)} (${team.storage_usage_percentage}%)`],
                ['Since', <DateOnly key="since" iso={team.created_at} />],
                [
                  'Id',
                  <code key="id" className="break-all font-mono text-xs">
                    {team.id}
                  </code>,
                ],
              ]}
            />
          </Section>
          <Members team={team} />
        </div>
      </div>
    </>
  );
}

function Members({ team }: { team: Team }) {
  const [page, setPage] = useState(1);
  const query = useQuery(anyMembersQuery(team.id, page));
  return (
    <Section title="Members" flush>
      <Listing query={query} onPage={setPage} empty={null}>
        {(members) => (
          <ul className="divide-y divide-line">
            {members.map(({ id, user, role }) => (
              <li key={id} className="relative flex items-center gap-3 px-5 py-3 hover:bg-raised/60">
                <Avatar name={user.full_name} id={user.id} />
                <div className="min-w-0 flex-1">
                  <Link
                    to="/operator/people/$userId"
                    params={{ userId: user.id }}
                    className="block truncate rounded font-medium after:absolute after:inset-0"
                  >
                    {user.full_name}
                  </Link>
                  <p className="truncate text-muted text-xs">{user.email}</p>
                </div>
                <span className="text-muted text-xs">{capitalise(role)}</span>
              </li>
            ))}
          </ul>
        )}
      </Listing>
    </Section>
  );
}

/** Away from sight until they are wanted: a suspended team's sites are closed to everybody. */
function TeamActions({ team }: { team: Team }) {
  const queryClient = useQueryClient();
  const [asking, setAsking] = useState(false);
  const [givingPlan, setGivingPlan] = useState(false);
  async function setActive(is_active: boolean) {
    await api.suspendTeam({ params: { team_id: team.id }, body: { is_active } });
    await queryClient.invalidateQueries({ queryKey: ['teams'] });
    toast.success(is_active ? `${team.name} is active again.` : `${team.name} is suspended.`);
  }
  return (
    <>
      <Menu
        trigger={
          <Button variant="secondary" size="icon" className="size-9" aria-label={`More for ${team.name}`}>
            <MoreIcon />
          </Button>
        }
      >
        {team.sub_id === null && (
          <MenuItem icon={<BillingIcon />} onClick={() => setGivingPlan(true)}>
            Give plan…
          </MenuItem>
        )}
        {team.is_active ? (
          <MenuItem icon={<LockIcon />} danger onClick={() => setAsking(true)}>
            Suspend…
          </MenuItem>
        ) : (
          <MenuItem
            icon={<LockIcon />}
            onClick={() => void setActive(true).catch((error) => toast.error(messageOf(error)))}
          >
            Activate
          </MenuItem>
        )}
      </Menu>
      <PlanDialog team={team} open={givingPlan} onOpenChange={setGivingPlan} />
      <ConfirmAction
        open={asking}
        onOpenChange={setAsking}
        title={`Suspend ${team.name}?`}
        action="Suspend"
        onConfirm={() => setActive(false)}
      >
        Visitors of its sites see a page that says so until you activate it again.
      </ConfirmAction>
    </>
  );
}
