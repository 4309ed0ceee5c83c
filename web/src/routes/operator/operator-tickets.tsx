import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Listing } from '../../layout/listing.tsx';
import { TicketList } from '../../layout/ticket-list.tsx';
import { Section } from '../../ui/card.tsx';
import { Empty } from '../../ui/empty.tsx';
import { TicketsIcon } from '../../ui/icons.ts';
import { Segmented } from '../../ui/segmented.tsx';
import { allTicketsQuery } from './operator-queries.ts';

const states = [
  { value: 'open', label: 'Open' },
  { value: 'resolved', label: 'Resolved' },
];

export function OperatorTickets() {
  const [state, setState] = useState('open');
  const [page, setPage] = useState(1);
  const query = useQuery(allTicketsQuery(state === 'resolved', page));
  function choose(next: string) {
    setState(next);
    setPage(1);
  }
  return (
    <Section title="Tickets" action={<Segmented label="Show" value={state} onChange={choose} options={states} />} flush>
      <Listing
        query={query}
        onPage={setPage}
        empty={<Empty icon={<TicketsIcon />} title={state === 'open' ? 'Nobody is waiting' : 'Nothing resolved yet'} />}
      >
        {(tickets) => <TicketList tickets={tickets} authors to="/operator/tickets/$ticketId" />}
      </Listing>
    </Section>
  );
}
