import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { api } from '../../api/client.ts';
import { anyTicketQuery } from '../../api/operator-queries.ts';
import { BackLink } from '../../layout/back-link.tsx';
import { Loaded } from '../../layout/loaded.tsx';
import { Message, Reply } from '../../layout/thread.tsx';
import { TicketState } from '../../layout/ticket-list.tsx';
import { capitalise } from '../../ui/format.ts';
import { PageHeader } from '../../ui/page.tsx';
import { AnswerBox } from './answer-box.tsx';

const route = getRouteApi('/app/operator/tickets/$ticketId');

export function AnswerTicketPage() {
  const { ticketId } = route.useParams();
  const query = useQuery(anyTicketQuery(ticketId));
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
            <ol className="grid gap-4" aria-label="Conversation">
              <Message author={ticket.user} iso={ticket.created_at}>
                {ticket.description}
              </Message>
              {ticket.ticket_replies
                .toSorted((a, b) => a.created_at.localeCompare(b.created_at))
                .map((reply) => (
                  <Reply key={reply.id} reply={reply} />
                ))}
            </ol>
            <AnswerBox send={answer} />
          </>
        )}
      </Loaded>
    </div>
  );
}
