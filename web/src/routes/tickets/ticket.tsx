import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import type { Ticket, TicketReply } from '#sdk';
import { api } from '../../api/client.ts';
import { atLeast } from '../../api/roles.ts';
import { useMe } from '../../api/session.ts';
import { teamQuery } from '../../api/teams.ts';
import { GrowingMessage } from '../../layout/assistant-message.tsx';
import { BackLink } from '../../layout/back-link.tsx';
import { WithContext } from '../../layout/inbox.tsx';
import { Loaded } from '../../layout/loaded.tsx';
import { ReplyBox } from '../../layout/reply-box.tsx';
import { Conversation } from '../../layout/thread.tsx';
import { TicketContext } from '../../layout/ticket-context.tsx';
import { TicketState } from '../../layout/ticket-list.tsx';
import { Button } from '../../ui/button.tsx';
import { ConfirmAction } from '../../ui/confirm-action.tsx';
import { capitalise } from '../../ui/format.ts';
import { TrashIcon } from '../../ui/icons.ts';
import { PageHeader } from '../../ui/page.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { toast } from '../../ui/toast.tsx';
import { useWrittenAnswers } from './answer-stream.ts';
import { OwnTickets } from './own-tickets.tsx';
import { contextQuery, repliesQuery, ticketQuery } from './ticket-queries.ts';

const route = getRouteApi('/app/tickets/$ticketId');

export function TicketPage() {
  const { ticketId } = route.useParams();
  const query = useQuery(ticketQuery(ticketId));
  return (
    <OwnTickets isChosen>
      <Loaded query={query} loading={<TicketLoading />}>
        {(ticket) => <TicketView key={ticket.id} ticket={ticket} />}
      </Loaded>
    </OwnTickets>
  );
}

function TicketView({ ticket }: { ticket: Ticket }) {
  const team = useQuery(teamQuery(ticket.team_id)).data;
  const isOwn = useMe().id === ticket.user.id;
  const replies = useInfiniteQuery(repliesQuery(ticket.id));
  const context = useQuery(contextQuery(ticket.id));
  const queryClient = useQueryClient();

  const unanswered = unansweredIn(replies.data?.pages.flatMap((page) => page.results) ?? []);
  const written = useWrittenAnswers(ticket.id, unanswered.length > 0);

  async function reply(body: {
    description?: string;
    resolve?: boolean;
    is_assistant_chat_message?: boolean;
    s3_object?: string;
  }) {
    await api.createReply({ params: { ticket_id: ticket.id }, body });
    await queryClient.invalidateQueries({ queryKey: ['tickets'] });
  }

  return (
    <>
      <PageHeader
        title={ticket.subject}
        badges={<TicketState ticket={ticket} />}
        description={[ticket.category && capitalise(ticket.category), team?.name].filter(Boolean).join(' · ')}
        back={
          isOwn ? (
            <BackLink to="/tickets">Support</BackLink>
          ) : (
            <BackLink to="/teams/$teamId/$page" params={{ teamId: ticket.team_id, page: 'tickets' }}>
              Tickets of the team
            </BackLink>
          )
        }
        action={(isOwn || atLeast(team?.role, 'admin')) && <DeleteTicket ticket={ticket} />}
      />
      <WithContext context={<TicketContext query={context} />}>
        <Conversation ticket={ticket} replies={replies}>
          {unanswered.map(({ id }) => (
            <GrowingMessage key={id} answer={written.get(id)} />
          ))}
        </Conversation>
        {atLeast(team?.role, 'member') && (
          <ReplyBox
            resolved={ticket.resolved}
            assistant={{ messagesLeft: ticket.messages_remaining, isThread: ticket.is_assistant_thread }}
            send={reply}
          />
        )}
      </WithContext>
    </>
  );
}

/** What was asked of the assistant and has no answer yet, oldest first. */
function unansweredIn(replies: readonly TicketReply[]): TicketReply[] {
  const answered = new Set(replies.map((reply) => reply.assistant_message_id));
  const questions = replies.filter((reply) => reply.is_assistant_chat_message && reply.assistant_message_id === null);
  return questions.filter(({ id }) => !answered.has(id)).toReversed();
}

function DeleteTicket({ ticket }: { ticket: Ticket }) {
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  async function remove() {
    await api.deleteTicket({ params: { ticket_id: ticket.id } });
    toast.success('The ticket is deleted.');
    await navigate({ to: '/tickets' });
    queryClient.removeQueries({ queryKey: ['tickets', ticket.id] });
    await queryClient.invalidateQueries({ queryKey: ['tickets'] });
  }
  return (
    <ConfirmAction
      trigger={
        <Button variant="ghost" className="-mr-3.5">
          <TrashIcon /> <span className="max-sm:sr-only">Delete</span>
        </Button>
      }
      title="Delete this ticket?"
      action="Delete"
      onConfirm={remove}
    >
      The whole conversation is deleted for everyone. To close it and keep it, resolve it instead.
    </ConfirmAction>
  );
}

function TicketLoading() {
  return (
    <div role="status" className="grid gap-6">
      <span className="sr-only">Loading</span>
      <Skeleton className="h-8 w-64" />
      <Skeleton className="h-28 rounded-xl" />
      <Skeleton className="h-28 rounded-xl" />
    </div>
  );
}
