import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Team } from '#sdk';
import { Listing } from '../../layout/listing.tsx';
import { Section } from '../../ui/card.tsx';
import { Empty } from '../../ui/empty.tsx';
import { SearchIcon } from '../../ui/icons.ts';
import { SearchInput } from '../../ui/search-input.tsx';
import { Table, Th } from '../../ui/table.tsx';
import { useSearchText } from '../../ui/use-settled.ts';
import { InviteButton } from './invite-dialog.tsx';
import { InvitedRow } from './invited-row.tsx';
import { MemberRow } from './member-row.tsx';
import { peopleQuery } from './team-queries.ts';

/** From so many on, somebody looks for a name and does not read a list. */
const worthSearching = 8;

/** Everybody in the team and everybody invited, in one list. */
export function TeamMembers({ team }: { team: Team }) {
  const [page, setPage] = useState(1);
  const [text, setText] = useState('');
  const search = useSearchText(text);
  const query = useQuery(peopleQuery(team.id, search, page));
  const isOwner = team.role === 'owner';
  const isLong = (query.data?.count ?? 0) > worthSearching || text !== '';
  return (
    <Section
      title="People"
      description={
        isOwner
          ? 'Who works in this team, and who is invited. Change a role and it counts at once.'
          : 'Who works in this team. Its owner invites people and changes roles.'
      }
      action={isOwner && <InviteButton team={team} />}
      flush
    >
      {isLong && (
        <div className="border-line border-b px-5 py-3">
          <SearchInput
            label="Find somebody by name or address"
            value={text}
            onChange={(next) => {
              setText(next);
              setPage(1);
            }}
            className="max-w-sm"
          />
        </div>
      )}
      <Listing
        query={query}
        onPage={setPage}
        empty={<Empty icon={<SearchIcon />} title="Nobody here has this in their name or email" />}
      >
        {(people) => (
          <Table
            label="Members"
            head={
              <>
                <Th>Person</Th>
                <Th className="max-sm:hidden">Role</Th>
                <Th className="max-md:hidden">Since</Th>
                <Th>
                  <span className="sr-only">Actions</span>
                </Th>
              </>
            }
          >
            {people.map((person) =>
              person.kind === 'invite' ? (
                <InvitedRow key={person.id} team={team} invite={person} />
              ) : (
                <MemberRow key={person.id} team={team} member={person} />
              ),
            )}
          </Table>
        )}
      </Listing>
    </Section>
  );
}
