import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import type { User } from '#sdk';
import { api } from '../../api/client.ts';
import { useMe } from '../../api/session.ts';
import { BackLink } from '../../layout/back-link.tsx';
import { EventFeed } from '../../layout/event-feed.tsx';
import { Listing } from '../../layout/listing.tsx';
import { Loaded } from '../../layout/loaded.tsx';
import { Avatar } from '../../ui/avatar.tsx';
import { Button } from '../../ui/button.tsx';
import { Section } from '../../ui/card.tsx';
import { ConfirmAction } from '../../ui/confirm-action.tsx';
import { Definitions } from '../../ui/definitions.tsx';
import { Empty } from '../../ui/empty.tsx';
import { messageOf } from '../../ui/form.tsx';
import { LockIcon, MoreIcon, SecurityIcon, TeamsIcon } from '../../ui/icons.ts';
import { Menu, MenuItem } from '../../ui/menu.tsx';
import { PageHeader } from '../../ui/page.tsx';
import { DateOnly, Time } from '../../ui/time.tsx';
import { toast } from '../../ui/toast.tsx';
import { PersonBadges } from './operator-people.tsx';
import { accountViewsQuery, allTeamsQuery, anyEventsQuery, anyUserQuery } from './operator-queries.ts';
import { TeamTable } from './operator-teams.tsx';
import { ViewAs } from './view-as.tsx';

const route = getRouteApi('/app/operator/people/$userId');

export function OperatorPersonPage() {
  const { userId } = route.useParams();
  const query = useQuery(anyUserQuery(userId));
  return <Loaded query={query}>{(person) => <Person person={person} />}</Loaded>;
}

function Person({ person }: { person: User }) {
  const [page, setPage] = useState(1);
  const teams = useQuery(allTeamsQuery({ user_id: person.id }, page));
  const events = useInfiniteQuery(anyEventsQuery({ user_id: person.id }));
  const isMe = useMe().id === person.id;
  return (
    <>
      <PageHeader
        title={person.full_name}
        description={person.email}
        icon={<Avatar name={person.full_name} id={person.id} className="size-10" />}
        badges={<PersonBadges person={person} />}
        back={
          <BackLink to="/operator" search={{ tab: 'people' }}>
            People
          </BackLink>
        }
        action={
          <div className="flex gap-2">
            {!person.is_superuser && <ViewAs person={person} />}
            {!isMe && <PersonActions person={person} />}
          </div>
        }
      />
      <div className="grid gap-6 xl:grid-cols-[minmax(0,1fr)_22rem] xl:items-start">
        <div className="grid min-w-0 gap-6">
          <Section title="Teams" flush>
            <Listing query={teams} onPage={setPage} empty={<Empty icon={<TeamsIcon />} title="In no team" />}>
              {(rows) => <TeamTable teams={rows} />}
            </Listing>
          </Section>
          <div>
            <h2 className="mb-3 font-semibold text-sm">Activity</h2>
            <EventFeed
              asOperator
              query={events}
              empty={{ title: 'Nothing yet', text: 'What they and their teams do shows here.' }}
            />
          </div>
        </div>
        <div className="grid min-w-0 gap-6">
          <Section title="Account">
            <Definitions
              rows={[
                ['Since', <DateOnly key="since" iso={person.created_at} />],
                ['Address', person.is_verified ? 'Confirmed' : 'Not confirmed'],
                ['Payment', person.is_payment_verified ? 'Verified' : 'Not verified'],
                [
                  'Id',
                  <code key="id" className="break-all font-mono text-xs">
                    {person.id}
                  </code>,
                ],
              ]}
            />
          </Section>
          <Views person={person} />
        </div>
      </div>
    </>
  );
}

/** Who looked at the account, and why. */
function Views({ person }: { person: User }) {
  const query = useQuery(accountViewsQuery(person.id));
  return (
    <Section title="Viewed by operators" flush>
      <Loaded query={query}>
        {({ results }) =>
          results.length === 0 ? (
            <p className="px-5 py-4 text-muted">Nobody has viewed this account.</p>
          ) : (
            <ul className="divide-y divide-line">
              {results.map((view) => (
                <li key={view.id} className="px-5 py-3">
                  <p>{view.reason}</p>
                  <p className="text-muted text-xs">
                    {view.operator.full_name} · <Time iso={view.created_at} />
                  </p>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </Section>
  );
}

/** Away from sight until they are wanted: who is blocked is out at once. */
function PersonActions({ person }: { person: User }) {
  const queryClient = useQueryClient();
  const [asking, setAsking] = useState<'block' | 'reset'>();
  async function setActive(is_active: boolean) {
    await api.blockUser({ params: { user_id: person.id }, body: { is_active } });
    await queryClient.invalidateQueries({ queryKey: ['users'] });
    toast.success(is_active ? `${person.full_name} may sign in again.` : `${person.full_name} is blocked.`);
  }
  async function resetFactor() {
    await api.resetSecondFactor({ params: { user_id: person.id } });
    await queryClient.invalidateQueries({ queryKey: ['users'] });
    toast.success(`${person.full_name} signs in with the password alone now.`);
  }
  return (
    <>
      <Menu
        className="min-w-54"
        trigger={
          <Button variant="secondary" size="icon" className="size-9" aria-label={`More for ${person.full_name}`}>
            <MoreIcon />
          </Button>
        }
      >
        {person.is_active ? (
          <MenuItem icon={<LockIcon />} danger onClick={() => setAsking('block')}>
            Block…
          </MenuItem>
        ) : (
          <MenuItem
            icon={<LockIcon />}
            onClick={() => void setActive(true).catch((error) => toast.error(messageOf(error)))}
          >
            Unblock
          </MenuItem>
        )}
        <MenuItem icon={<SecurityIcon />} onClick={() => setAsking('reset')}>
          Reset second factor…
        </MenuItem>
      </Menu>
      <ConfirmAction
        open={asking === 'block'}
        onOpenChange={(open) => setAsking(open ? 'block' : undefined)}
        title={`Block ${person.full_name}?`}
        action="Block"
        onConfirm={() => setActive(false)}
      >
        Every session and token of {person.email} ends at once, and they cannot sign in until you unblock them. Their
        teams and sites go on.
      </ConfirmAction>
      <ConfirmAction
        open={asking === 'reset'}
        onOpenChange={(open) => setAsking(open ? 'reset' : undefined)}
        title={`Reset the second factor of ${person.full_name}?`}
        action="Reset"
        onConfirm={resetFactor}
      >
        Only after you know that it is them. Their app, passkeys and recovery codes stop working, every session ends,
        and their password alone lets them in until they set it up again. They get an email about it.
      </ConfirmAction>
    </>
  );
}
