import { type Static, Type } from 'typebox';
import { failure } from '#core/errors.ts';
import { Nullable, OneOf, say, Text, Timestamp, Uuid } from '#core/http/schema.ts';
import { Event } from '#features/event/event.schema.ts';
import { ProposalSummary } from '#features/proposal/proposal.ts';
import { User } from '#features/user/user.ts';

export const Attachment = Type.Object(
  {
    s3_object: Type.String(),
    name: Type.String(),
    content_type: Type.String(),
    size_bytes: Type.Integer(),
    created_at: Timestamp,
  },
  { title: 'Attachment' },
);
export type Attachment = Static<typeof Attachment>;

export const Reply = Type.Object(
  {
    id: Uuid,
    created_at: Timestamp,
    description: Nullable(Type.String()),
    is_assistant_chat_message: say(
      Nullable(Type.Boolean()),
      'Part of the chat with the assistant: a question to it, or its answer',
    ),
    assistant_message_id: say(Nullable(Type.String()), 'Question that this reply of the assistant answers'),
    resolve: Nullable(Type.Boolean()),
    user: say(User, "Author; for replies of the assistant the platform's assistant user"),
    assistant_steps: Type.Array(Type.Object({ operation: Type.String(), text: Type.String(), ok: Type.Boolean() }), {
      description: 'What the assistant looked at for this answer; empty for what people wrote',
    }),
    proposals: Type.Array(ProposalSummary, {
      description: 'What the assistant would do; whoever asked confirms or refuses it',
    }),
    attachments: Type.Array(Attachment, { description: 'What it came with' }),
  },
  { title: 'TicketReply' },
);
export type Reply = Static<typeof Reply>;

/** The assistant is neither: what it says does not replace a person's answer. */
export const WAITS_FOR = ['support', 'asker'] as const;

const fields = {
  id: Uuid,
  team_id: Uuid,
  user: User,
  subject: Type.String(),
  description: Type.String(),
  category: Nullable(Type.String()),
  is_assistant_thread: Type.Boolean(),
  messages_remaining: Type.Integer({
    description: 'Assistant messages left in this ticket; one is taken when the assistant answers',
  }),
  assistant_custom_instructions: Nullable(Type.String()),
  resolved: Type.Boolean(),
  resolved_at: Nullable(Timestamp),
  waits_for: Nullable(OneOf(WAITS_FOR, { description: 'Whose turn it is; null once it is resolved' })),
  assignee: Nullable(User),
  site_live_id: Nullable(Uuid),
  fqdn: Nullable(Type.String({ description: "The name of the site that it is about, while that is the team's" })),
  attachments: Type.Array(Attachment, { description: 'What it was opened with; replies have their own' }),
  active_at: Timestamp,
  ticket_replies: Type.Array(Reply, {
    description: 'All replies, oldest first; of a very long thread and in lists the newest ones',
  }),
  ticket_replies_count: Type.Integer({ description: 'All there are, also where not all are shown' }),
  ticket_replies_next: Nullable(
    Type.String({ description: 'The page that goes on with the older replies; null when all are shown' }),
  ),
  created_at: Timestamp,
};

export const Ticket = Type.Object(fields, { title: 'Ticket' });
export type Ticket = Static<typeof Ticket>;

/** Without paging the answer is one ticket with every field optional; with it, a page of them. */
export const OwnTickets = Type.Object(
  {
    ...Type.Partial(Type.Object(fields)).properties,
    count: Type.Optional(Type.Integer()),
    limit: Type.Optional(Type.Integer()),
    next: Type.Optional(Nullable(Type.String())),
    offset: Type.Optional(Type.Integer()),
    previous: Type.Optional(Nullable(Type.String())),
    results: Type.Optional(Type.Array(Ticket)),
  },
  { title: 'OwnTickets' },
);

export const TicketContext = Type.Object(
  {
    team: Type.Object({ id: Uuid, name: Type.String(), plan_type_name: Type.String() }),
    site: Nullable(
      Type.Object({
        id: Uuid,
        fqdn: Type.String(),
        is_sleeping: Type.Boolean(),
        busy: Nullable(Type.String()),
        wordpress_version: Nullable(Type.String()),
        php_version: Nullable(Type.String()),
        created_at: Timestamp,
      }),
    ),
    errors: Type.Array(
      Type.Object({
        at: Timestamp,
        level: Type.String(),
        message: Type.String({ description: 'Its first line; what is secret in it is hidden' }),
        file: Nullable(Type.String()),
        line: Nullable(Type.Integer()),
      }),
      { description: 'The last errors of PHP of the site, newest first, each once; none for viewers' },
    ),
    changes: Type.Array(Event, {
      description: 'What happened last to the site, or in the team where it is about none',
    }),
  },
  { title: 'TicketContext' },
);
export type TicketContext = Static<typeof TicketContext>;

export const NewTicket = Type.Object({
  team_id: Uuid,
  subject: say(Type.String({ minLength: 1, maxLength: 300, pattern: '\\S' }), 'What it is about, in one line'),
  description: say(Text, 'The question'),
  category: Type.Optional(say(Type.String({ minLength: 1, maxLength: 40 }), 'A word of your own to sort by')),
  resolved: Type.Optional(say(Type.Boolean({ default: false }), 'Open it as resolved already')),
  s3_object: Type.Optional(
    Type.String({ maxLength: 200, description: 'The attachment uploaded before, by its s3_object' }),
  ),
  site_live_id: Type.Optional(Uuid),
});
export type NewTicket = Static<typeof NewTicket>;

export const TicketChange = Type.Object({
  assistant_custom_instructions: Type.Optional(
    Nullable(Type.String({ maxLength: 10_000, description: 'Null takes them away' })),
  ),
});

export const NewReply = Type.Object({
  description: Type.Optional(say(Type.String({ maxLength: 20_000 }), 'The reply')),
  is_assistant_chat_message: Type.Optional(say(Type.Boolean({ default: false }), 'Have the assistant answer')),
  s3_object: Type.Optional(
    Type.String({ maxLength: 200, description: 'The attachment uploaded before, by its s3_object' }),
  ),
  resolve: Type.Optional(say(Type.Boolean(), 'True resolves the ticket, false opens it again')),
});
export type NewReply = Static<typeof NewReply>;

export const ticketNotFound = failure('ticket.not_found', 404, 'There is no such ticket.');
export const notOperator = failure(
  'ticket.not_operator',
  409,
  'Only an operator of the platform can be given a ticket.',
);
export const siteNotFound = failure('site.not_found', 404, 'There is no such site in this team.');
export const attachmentNotFound = failure('attachment.not_found', 404, 'There is no such attachment.');
export const tooManyUploads = failure(
  'attachment.too_many',
  409,
  'You have uploaded 50 MB that no ticket names yet; open the ticket first.',
);
export const attachmentsFull = failure(
  'attachment.full',
  409,
  'The files of your tickets are 250 MB by now; delete tickets that are done, or share this file in another way.',
);
export const tooManyMessages = failure(
  'ticket.too_many',
  429,
  'You have written 500 tickets and replies within a day; write again later.',
  { headers: { 'retry-after': '3600' } },
);
export const assistantSpent = failure(
  'ticket.assistant_spent',
  429,
  'The assistant has done as much for you, or for this team, as it may in a day; ask it again later.',
  { headers: { 'retry-after': '3600' } },
);
export const noMessagesLeft = failure(
  'ticket.no_messages_left',
  402,
  'The plan has no assistant messages left for this ticket; a larger plan has more.',
);
