import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Team } from '#sdk';
import { api } from '../../api/client.ts';
import { Listing } from '../../layout/listing.tsx';
import { TeamBadges } from '../../layout/team-badges.tsx';
import { Button } from '../../ui/button.tsx';
import { Section } from '../../ui/card.tsx';
import { ConfirmAction } from '../../ui/confirm-action.tsx';
import { Empty } from '../../ui/empty.tsx';
import { messageOf } from '../../ui/form.tsx';
import { TeamsIcon } from '../../ui/icons.ts';
import { Table, Td, Th } from '../../ui/table.tsx';
import { DateOnly } from '../../ui/time.tsx';
import { toast } from '../../ui/toast.tsx';
import { allTeamsQuery } from './operator-queries.ts';

export function OperatorTeams() {
  const [page, setPage] = useState(1);
  const query = useQuery(allTeamsQuery(page));
  return (
    <Section title="Teams" description="A suspended team's sites show a page that says so." flush>
      <Listing query={query} onPage={setPage} empty={<Empty icon={<TeamsIcon />} title="No teams" />}>
        {(teams) => (
          <Table
            label="Teams"
            head={
              <>
                <Th>Team</Th>
                <Th className="max-sm:hidden">Plan and state</Th>
                <Th className="max-md:hidden">Since</Th>
                <Th>
                  <span className="sr-only">Actions</span>
                </Th>
              </>
            }
          >
            {teams.map((team) => (
              <TeamRow key={team.id} team={team} />
            ))}
          </Table>
        )}
      </Listing>
    </Section>
  );
}

function TeamRow({ team }: { team: Team }) {
  const queryClient = useQueryClient();

  async function setActive(is_active: boolean) {
    await api.suspendTeam({ params: { team_id: team.id }, body: { is_active } });
    await queryClient.invalidateQueries({ queryKey: ['teams'] });
    toast.success(is_active ? `${team.name} is active again.` : `${team.name} is suspended.`);
  }

  return (
    <tr>
      <Td className="w-full max-w-0">
        <p className="truncate font-medium">{team.name}</p>
        <p className="truncate text-muted text-xs">
          {team.user.full_name} · {team.user.email}
        </p>
        <div className="mt-1.5 flex flex-wrap gap-1.5 sm:hidden">
          <TeamBadges team={team} />
        </div>
      </Td>
      <Td className="max-sm:hidden">
        <div className="flex gap-1.5">
          <TeamBadges team={team} />
        </div>
      </Td>
      <Td className="whitespace-nowrap text-muted max-md:hidden">
        <DateOnly iso={team.created_at} />
      </Td>
      <Td className="text-right">
        {team.is_active ? (
          <ConfirmAction
            trigger={
              <Button variant="secondary" size="sm" aria-label={`Suspend ${team.name}`}>
                Suspend
              </Button>
            }
            title={`Suspend ${team.name}?`}
            action="Suspend"
            onConfirm={() => setActive(false)}
          >
            Visitors of its sites see a page that says so until you activate it again.
          </ConfirmAction>
        ) : (
          <Button
            variant="secondary"
            size="sm"
            aria-label={`Activate ${team.name}`}
            onClick={() => void setActive(true).catch((error) => toast.error(messageOf(error)))}
          >
            Activate
          </Button>
        )}
      </Td>
    </tr>
  );
}
