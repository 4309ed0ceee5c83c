import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { api } from '../../api/client.ts';
import { BackLink } from '../../layout/back-link.tsx';
import { Loaded } from '../../layout/loaded.tsx';
import { Conversation } from '../../layout/thread.tsx';
import { TicketState } from '../../layout/ticket-list.tsx';
import { capitalise } from '../../ui/format.ts';
import { PageHeader } from '../../ui/page.tsx';
import { AnswerBox } from './answer-box.tsx';
import { anyRepliesQuery, anyTicketQuery } from './operator-queries.ts';

const route = getRouteApi('/app/operator/tickets/$ticketId');

export function AnswerTicketPage() {
  const { ticketId } = route.useParams();
  const query = useQuery(anyTicketQuery(ticketId));
  const replies = useInfiniteQuery(anyRepliesQuery(ticketId));
  const queryClient = useQueryClient();

  async function answer(body: { description: string; resolve?: boolean }) {
    await api.answerTicket({ params: { ticket_id: ticketId }, body });
    await queryClient.invalidateQueries({ queryKey: ['tickets'] });
  }

  return (
    <div className="mx-auto max-w-3xl">
      <Loaded query={query}>
        {(ticket) => (
          <>
            <PageHeader
              title={ticket.subject}
              badges={<TicketState resolved={ticket.resolved} />}
              description={[ticket.category && capitalise(ticket.category), ticket.user.email]
                .filter(Boolean)
                .join(' · ')}
              back={
                <BackLink to="/operator" search={{ tab: 'tickets' }}>
                  Tickets to answer
                </BackLink>
              }
            />
            <Conversation ticket={ticket} replies={replies} />
            <AnswerBox send={answer} />
          </>
        )}
      </Loaded>
    </div>
  );
}
