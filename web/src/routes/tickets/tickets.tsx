import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { Listing } from '../../layout/listing.tsx';
import { NewTicketButton } from '../../layout/new-ticket.tsx';
import { TicketList } from '../../layout/ticket-list.tsx';
import { Card } from '../../ui/card.tsx';
import { Empty } from '../../ui/empty.tsx';
import { TicketsIcon } from '../../ui/icons.ts';
import { PageHeader } from '../../ui/page.tsx';
import { ticketsQuery } from './ticket-queries.ts';

const route = getRouteApi('/app/tickets');

export function TicketsPage() {
  const { page = 1 } = route.useSearch();
  const navigate = route.useNavigate();
  const query = useQuery(ticketsQuery(page));
  return (
    <>
      <PageHeader
        title="Support"
        description="Your questions to support, and their answers."
        action={<NewTicketButton />}
      />
      <Card>
        <Listing
          query={query}
          onPage={(next) => void navigate({ search: { page: next } })}
          empty={
            <Empty icon={<TicketsIcon />} title="No tickets yet">
              When something is unclear or broken, open one: the whole conversation stays here.
            </Empty>
          }
        >
          {(tickets) => <TicketList tickets={tickets} />}
        </Listing>
      </Card>
    </>
  );
}
