import { Link } from '@tanstack/react-router';
import type { Team } from '#sdk';
import { TeamBadges } from '../../layout/team-badges.tsx';
import { Table, Td, Th } from '../../ui/table.tsx';
import { DateOnly } from '../../ui/time.tsx';
import { allTeamsQuery } from './operator-queries.ts';
import { SearchedSection } from './searched-section.tsx';

export function OperatorTeams() {
  return (
    <SearchedSection title="Teams" label="Find a team by its name" queryOf={allTeamsQuery}>
      {(teams) => <TeamTable teams={teams} />}
    </SearchedSection>
  );
}

export function TeamTable({ teams }: { teams: Team[] }) {
  return (
    <Table
      label="Teams"
      head={
        <>
          <Th>Team</Th>
          <Th>Plan and state</Th>
          <Th className="max-md:hidden">Since</Th>
        </>
      }
    >
      {teams.map((team) => (
        <tr key={team.id} className="relative hover:bg-raised/60">
          <Td className="w-full max-w-0">
            <Link
              to="/operator/teams/$teamId"
              params={{ teamId: team.id }}
              className="block truncate rounded font-medium after:absolute after:inset-0"
            >
              {team.name}
            </Link>
            <p className="truncate text-muted text-xs">
              {team.user.full_name} · {team.user.email}
            </p>
          </Td>
          <Td>
            <div className="flex flex-wrap gap-1.5">
              <TeamBadges team={team} />
            </div>
          </Td>
          <Td className="whitespace-nowrap text-muted max-md:hidden">
            <DateOnly iso={team.created_at} />
          </Td>
        </tr>
      ))}
    </Table>
  );
}
