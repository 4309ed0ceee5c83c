import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { Ticket } from '#sdk';
import { api } from '../../api/client.ts';
import { useMe } from '../../api/session.ts';
import { BackLink } from '../../layout/back-link.tsx';
import { WithContext } from '../../layout/inbox.tsx';
import { Loaded } from '../../layout/loaded.tsx';
import { Conversation } from '../../layout/thread.tsx';
import { TicketContext } from '../../layout/ticket-context.tsx';
import { TicketState } from '../../layout/ticket-list.tsx';
import { messageOf } from '../../ui/form.tsx';
import { capitalise } from '../../ui/format.ts';
import { PageHeader } from '../../ui/page.tsx';
import { Select } from '../../ui/select.tsx';
import { toast } from '../../ui/toast.tsx';
import { AnswerBox } from './answer-box.tsx';
import { anyContextQuery, anyRepliesQuery, anyTicketQuery, operatorsQuery } from './operator-queries.ts';
import { OperatorInbox } from './operator-tickets.tsx';

const route = getRouteApi('/app/operator/tickets/$ticketId');

export function AnswerTicketPage() {
  const { ticketId } = route.useParams();
  const query = useQuery(anyTicketQuery(ticketId));
  return (
    <OperatorInbox isChosen>
      <Loaded query={query}>{(ticket) => <TicketView key={ticket.id} ticket={ticket} />}</Loaded>
    </OperatorInbox>
  );
}

function TicketView({ ticket }: { ticket: Ticket }) {
  const replies = useInfiniteQuery(anyRepliesQuery(ticket.id));
  const context = useQuery(anyContextQuery(ticket.id));
  const queryClient = useQueryClient();

  async function answer(body: { description: string; resolve?: boolean; s3_object?: string }) {
    await api.answerTicket({ params: { ticket_id: ticket.id }, body });
    await queryClient.invalidateQueries({ queryKey: ['tickets'] });
  }

  return (
    <>
      <PageHeader
        title={ticket.subject}
        badges={<TicketState ticket={ticket} asSupport />}
        description={
          <>
            {ticket.category && `${capitalise(ticket.category)} · `}
            <Link
              to="/operator/people/$userId"
              params={{ userId: ticket.user.id }}
              className="rounded underline-offset-4 hover:underline"
            >
              {ticket.user.email}
            </Link>
          </>
        }
        back={
          <BackLink to="/operator" search={{ tab: 'tickets' }}>
            Tickets to answer
          </BackLink>
        }
        action={<Assignee ticket={ticket} />}
      />
      <WithContext context={<TicketContext query={context} asSupport />}>
        <Conversation ticket={ticket} replies={replies} />
        <AnswerBox send={answer} />
      </WithContext>
    </>
  );
}

const NOBODY = 'nobody';

function Assignee({ ticket }: { ticket: Ticket }) {
  const me = useMe();
  const operators = useQuery(operatorsQuery).data?.results ?? [];
  const queryClient = useQueryClient();
  const assign = useMutation({
    mutationFn: (userId: string) =>
      userId === NOBODY
        ? api.unassignTicket({ params: { ticket_id: ticket.id } })
        : api.assignTicket({ params: { ticket_id: ticket.id }, body: { user_id: userId } }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ['tickets'] }),
    onError: (error) => toast.error(messageOf(error)),
  });
  const known = operators.some(({ id }) => id === ticket.assignee?.id);
  const people = ticket.assignee && !known ? [...operators, ticket.assignee] : operators;
  return (
    <Select
      aria-label="Assigned to"
      className="w-60"
      value={assign.isPending ? assign.variables : (ticket.assignee?.id ?? NOBODY)}
      onValueChange={(next) => assign.mutate(next)}
      options={[
        { value: NOBODY, label: 'Nobody has it' },
        ...people.map(({ id, full_name }) => ({ value: id, label: id === me.id ? `${full_name} (you)` : full_name })),
      ]}
    />
  );
}
