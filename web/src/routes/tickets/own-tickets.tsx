import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { Inbox } from '../../layout/inbox.tsx';
import { Listing } from '../../layout/listing.tsx';
import { NewTicketButton } from '../../layout/new-ticket.tsx';
import { TicketList } from '../../layout/ticket-list.tsx';
import { Card } from '../../ui/card.tsx';
import { Empty } from '../../ui/empty.tsx';
import { TicketsIcon } from '../../ui/icons.ts';
import { Segmented } from '../../ui/segmented.tsx';
import { ticketsQuery } from './ticket-queries.ts';

const states = [
  { value: 'open', label: 'Open' },
  { value: 'resolved', label: 'Resolved' },
];

let remembered = 'open';

/** One's own tickets on the left, and on the right what was chosen of them. Which are listed stays while one goes from ticket to ticket. */
export function OwnTickets({ isChosen, children }: { isChosen: boolean; children: ReactNode }) {
  const [state, setState] = useState(remembered);
  const [page, setPage] = useState(1);
  const query = useQuery(ticketsQuery(state === 'resolved', page));
  const title = 'font-semibold text-xl leading-7 tracking-tight';
  return (
    <Inbox
      isChosen={isChosen}
      list={
        <>
          <div className="mb-4 flex items-center justify-between gap-3">
            {/* What was chosen has the heading of the page. */}
            {isChosen ? <p className={title}>Support</p> : <h1 className={title}>Support</h1>}
            <NewTicketButton />
          </div>
          <Card>
            <div className="border-line border-b px-4 py-2.5">
              <Segmented
                label="Show"
                value={state}
                onChange={(next) => {
                  remembered = next;
                  setState(next);
                  setPage(1);
                }}
                options={states}
              />
            </div>
            <Listing
              query={query}
              onPage={setPage}
              empty={
                <Empty icon={<TicketsIcon />} title={state === 'open' ? 'No open tickets' : 'Nothing resolved yet'}>
                  {state === 'open'
                    ? 'When something is unclear or broken, open one: the whole conversation stays here.'
                    : undefined}
                </Empty>
              }
            >
              {(tickets) => <TicketList tickets={tickets} />}
            </Listing>
          </Card>
        </>
      }
    >
      {children}
    </Inbox>
  );
}
