import { Link } from '@tanstack/react-router';
import type { User } from '#sdk';
import { Avatar } from '../../ui/avatar.tsx';
import { Badge } from '../../ui/badge.tsx';
import { Table, Td, Th } from '../../ui/table.tsx';
import { DateOnly } from '../../ui/time.tsx';
import { allUsersQuery } from './operator-queries.ts';
import { SearchedSection } from './searched-section.tsx';

export function OperatorPeople() {
  return (
    <SearchedSection title="People" label="Find a person by name or email" queryOf={allUsersQuery}>
      {(people) => (
        <Table
          label="People"
          head={
            <>
              <Th>Person</Th>
              <Th>State</Th>
              <Th className="max-md:hidden">Since</Th>
            </>
          }
        >
          {people.map((person) => (
            <tr key={person.id} className="relative hover:bg-raised/60">
              <Td className="w-full max-w-0">
                <div className="flex items-center gap-3">
                  <Avatar name={person.full_name} id={person.id} />
                  <div className="min-w-0">
                    <Link
                      to="/operator/people/$userId"
                      params={{ userId: person.id }}
                      className="block truncate rounded font-medium after:absolute after:inset-0"
                    >
                      {person.full_name}
                    </Link>
                    <p className="truncate text-muted text-xs">{person.email}</p>
                  </div>
                </div>
              </Td>
              <Td>
                <div className="flex flex-wrap gap-1.5">
                  <PersonBadges person={person} />
                </div>
              </Td>
              <Td className="whitespace-nowrap text-muted max-md:hidden">
                <DateOnly iso={person.created_at} />
              </Td>
            </tr>
          ))}
        </Table>
      )}
    </SearchedSection>
  );
}

export function PersonBadges({ person }: { person: User }) {
  return (
    <>
      {!person.is_active && <Badge tone="danger">Blocked</Badge>}
      {person.is_superuser && <Badge>Operator</Badge>}
      {!person.is_verified && <Badge tone="warn">Not confirmed</Badge>}
    </>
  );
}
