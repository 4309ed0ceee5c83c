import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { User } from '#sdk';
import { api } from '../../api/client.ts';
import { useMe } from '../../api/session.ts';
import { Listing } from '../../layout/listing.tsx';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Section } from '../../ui/card.tsx';
import { ConfirmAction } from '../../ui/confirm-action.tsx';
import { Empty } from '../../ui/empty.tsx';
import { messageOf } from '../../ui/form.tsx';
import { SearchIcon } from '../../ui/icons.ts';
import { SearchInput } from '../../ui/search-input.tsx';
import { Table, Td, Th } from '../../ui/table.tsx';
import { DateOnly } from '../../ui/time.tsx';
import { toast } from '../../ui/toast.tsx';
import { useSearchText } from '../../ui/use-settled.ts';
import { allUsersQuery } from './operator-queries.ts';

export function OperatorPeople() {
  const [text, setText] = useState('');
  const [page, setPage] = useState(1);
  const search = useSearchText(text);
  const query = useQuery(allUsersQuery(search, page));
  return (
    <Section
      title="People"
      description="Who is blocked can not sign in, and every session and token of theirs has ended. Their teams and sites go on."
      flush
    >
      <div className="border-line border-b p-4">
        <SearchInput
          label="Find a person by name or email address"
          value={text}
          onChange={(next) => {
            setText(next);
            setPage(1);
          }}
        />
      </div>
      <Listing query={query} onPage={setPage} empty={<Empty icon={<SearchIcon />} title="Nobody has such a name" />}>
        {(people) => (
          <Table
            label="People"
            head={
              <>
                <Th>Person</Th>
                <Th className="max-sm:hidden">State</Th>
                <Th className="max-md:hidden">Since</Th>
                <Th>
                  <span className="sr-only">Actions</span>
                </Th>
              </>
            }
          >
            {people.map((person) => (
              <PersonRow key={person.id} person={person} />
            ))}
          </Table>
        )}
      </Listing>
    </Section>
  );
}

function PersonRow({ person }: { person: User }) {
  const queryClient = useQueryClient();
  const me = useMe();

  async function setActive(is_active: boolean) {
    await api.blockUser({ params: { user_id: person.id }, body: { is_active } });
    await queryClient.invalidateQueries({ queryKey: ['users'] });
    toast.success(is_active ? `${person.full_name} may sign in again.` : `${person.full_name} is blocked.`);
  }

  return (
    <tr>
      <Td className="w-full max-w-0">
        <p className="truncate font-medium">{person.full_name}</p>
        <p className="truncate text-muted text-xs">{person.email}</p>
        <div className="mt-1.5 flex flex-wrap gap-1.5 empty:hidden sm:hidden">
          <PersonBadges person={person} />
        </div>
      </Td>
      <Td className="max-sm:hidden">
        <div className="flex gap-1.5">
          <PersonBadges person={person} />
        </div>
      </Td>
      <Td className="whitespace-nowrap text-muted max-md:hidden">
        <DateOnly iso={person.created_at} />
      </Td>
      <Td className="text-right">
        {person.is_active && person.id !== me.id && (
          <ConfirmAction
            trigger={
              <Button variant="secondary" size="sm" aria-label={`Block ${person.email}`}>
                Block
              </Button>
            }
            title={`Block ${person.full_name}?`}
            action="Block"
            onConfirm={() => setActive(false)}
          >
            Every session and token of {person.email} ends at once, and they can not sign in until you unblock them.
            Their teams and sites go on.
          </ConfirmAction>
        )}
        {!person.is_active && (
          <Button
            variant="secondary"
            size="sm"
            aria-label={`Unblock ${person.email}`}
            onClick={() => void setActive(true).catch((error) => toast.error(messageOf(error)))}
          >
            Unblock
          </Button>
        )}
      </Td>
    </tr>
  );
}

function PersonBadges({ person }: { person: User }) {
  return (
    <>
      {!person.is_active && <Badge tone="danger">Blocked</Badge>}
      {person.is_superuser && <Badge>Operator</Badge>}
      {!person.is_verified && <Badge tone="warn">Not confirmed</Badge>}
    </>
  );
}
