import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Team } from '#sdk';
import { atLeast } from '../../api/roles.ts';
import { Listing } from '../../layout/listing.tsx';
import { NewTicketButton } from '../../layout/new-ticket.tsx';
import { TicketList } from '../../layout/ticket-list.tsx';
import { Section } from '../../ui/card.tsx';
import { Empty } from '../../ui/empty.tsx';
import { TicketsIcon } from '../../ui/icons.ts';
import { teamTicketsQuery } from './team-queries.ts';

export function TeamTickets({ team }: { team: Team }) {
  const [page, setPage] = useState(1);
  const query = useQuery(teamTicketsQuery(team.id, page));
  return (
    <Section
      title="Tickets"
      description="What the team has asked support."
      action={atLeast(team.role, 'member') && <NewTicketButton teamId={team.id} />}
      flush
    >
      <Listing
        query={query}
        onPage={setPage}
        empty={
          <Empty icon={<TicketsIcon />} title="No tickets">
            Nobody in {team.name} has asked for help yet.
          </Empty>
        }
      >
        {(tickets) => <TicketList tickets={tickets} authors />}
      </Listing>
    </Section>
  );
}
