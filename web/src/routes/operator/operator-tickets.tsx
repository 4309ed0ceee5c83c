import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { Inbox } from '../../layout/inbox.tsx';
import { Listing } from '../../layout/listing.tsx';
import { TicketList } from '../../layout/ticket-list.tsx';
import { Card } from '../../ui/card.tsx';
import { Empty } from '../../ui/empty.tsx';
import { TicketsIcon } from '../../ui/icons.ts';
import { Select } from '../../ui/select.tsx';
import { allTicketsQuery, type TicketView } from './operator-queries.ts';

const views: { value: TicketView; label: string }[] = [
  { value: 'waiting', label: 'Needs an answer' },
  { value: 'mine', label: 'Mine' },
  { value: 'unassigned', label: 'Nobody has it' },
  { value: 'open', label: 'All open' },
  { value: 'resolved', label: 'Resolved' },
];

/** The same inbox from the other side. Which part of it is shown stays while one goes from ticket to ticket. */
export function OperatorInbox({ isChosen, children }: { isChosen: boolean; children: ReactNode }) {
  const [view, setView] = useState<TicketView>(remembered);
  const [page, setPage] = useState(1);
  const query = useQuery(allTicketsQuery(view, page));
  return (
    <Inbox
      isChosen={isChosen}
      list={
        <Card>
          <div className="border-line border-b px-4 py-2.5">
            <Select
              aria-label="Show"
              options={views}
              value={view}
              onValueChange={(next) => {
                remembered = next as TicketView;
                setView(next as TicketView);
                setPage(1);
              }}
            />
          </div>
          <Listing
            query={query}
            onPage={setPage}
            empty={
              <Empty
                icon={<TicketsIcon />}
                title={view === 'resolved' ? 'Nothing resolved yet' : 'Nobody is waiting'}
              />
            }
          >
            {(tickets) => <TicketList tickets={tickets} authors to="/operator/tickets/$ticketId" />}
          </Listing>
        </Card>
      }
    >
      {children}
    </Inbox>
  );
}

let remembered: TicketView = 'open';

export function OperatorTickets() {
  return (
    <OperatorInbox isChosen={false}>
      <Card className="max-lg:hidden">
        <Empty icon={<TicketsIcon />} title="Choose a ticket">
          Its conversation opens here, beside what it is about.
        </Empty>
      </Card>
    </OperatorInbox>
  );
}
