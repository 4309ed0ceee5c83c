import { type Static, Type } from 'typebox';
import { isAtLeast, type Role, roleOnMatter } from '#core/auth/caller.ts';
import { forbidden } from '#core/errors.ts';
import { type Call, operation, streamOperation } from '#core/http/operation.ts';
import { Empty, OneOf, PageOf, PageQuery, say, Uuid } from '#core/http/schema.ts';
import { type Access, inTeam, onRecord, onTeam, operator, operatorOn, signedIn } from '#core/policy.ts';
import { findUserIfAny } from '#features/user/user.ts';
import { streamAnswers } from './answer.stream.ts';
import { contextOf } from './ticket.context.ts';
import {
  assistantSpent,
  attachmentNotFound,
  NewReply,
  NewTicket,
  noMessagesLeft,
  notOperator,
  OwnTickets,
  Reply,
  siteNotFound,
  Ticket,
  TicketChange,
  TicketContext,
  ticketNotFound,
  tooManyMessages,
  WAITS_FOR,
} from './ticket.schema.ts';
import {
  deleteTicket,
  findTicket,
  listAllTickets,
  listOwnTickets,
  listReplies,
  listTeamTickets,
  newestOwnTicket,
  roleOnTicket,
  setAssignee,
  setInstructions,
  type TicketRow,
} from './ticket.sql.ts';
import { answerTicket, completeReplies, completeTickets, createReply, createTicket, getTicket } from './ticket.ts';

const tag = 'tickets';
const TicketPath = Type.Object({ ticket_id: Uuid });

const onTicket = (role: Role, orIf?: Parameters<typeof onRecord<TicketRow>>[0]['orIf']) =>
  onRecord<TicketRow>({
    role,
    missing: ticketNotFound,
    roleIn: roleOnTicket,
    find: (db, { ticket_id }) => findTicket(db, ticket_id as string),
    ...(orIf && { orIf }),
  });

/** Members of the team; whoever is limited to some sites opens tickets about those. */
const mayOpen: Access<string> = {
  ...inTeam('member', 'body'),
  rule: `${inTeam('member').rule}, or member on the site that it is about`,
  find: async (_db, caller, input) => {
    const { team_id, site_live_id } = input as Pick<NewTicket, 'team_id' | 'site_live_id'>;
    // They know the team, so that "no such team" would be no help.
    if (!site_live_id && caller.limitedTo.has(team_id))
      throw forbidden({ message: 'You are in this team for some of its sites alone: say which one it is about.' });
    const role = roleOnMatter(caller, { team_id, site_id: site_live_id ?? null });
    if (role === undefined || caller.roles.has(team_id)) return onTeam(caller, team_id, 'member');
    if (!isAtLeast(role, 'member')) throw forbidden({ message: 'This needs the role member or above on the site.' });
    return team_id;
  },
};

const onAnyTicket = operatorOn((db, { ticket_id }) => findTicket(db, String(ticket_id)), ticketNotFound);

export const ticketOperations = [
  operation({
    id: 'listTeamTickets',
    method: 'GET',
    path: '/team/{team_id}/ticket',
    tag,
    summary: 'The tickets of a team',
    access: inTeam('viewer'),
    params: Type.Object({ team_id: Uuid }),
    query: Type.Object(PageQuery),
    response: PageOf(Ticket),
    async handle({ db, services, subject: teamId, query, page }) {
      const { count, rows } = await listTeamTickets(db, teamId, query);
      return page(query, count, await completeTickets(db, services, rows, { inList: true }));
    },
  }),
  operation({
    id: 'listTickets',
    method: 'GET',
    path: '/support/ticket',
    tag,
    summary:
      'Your newest ticket; with page or size, a page of your tickets, those first in which something happened last',
    access: signedIn,
    query: Type.Object({
      page: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000_000, description: 'Page number' })),
      size: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, description: 'Page size' })),
      resolved: Type.Optional(say(Type.Boolean(), 'With page or size: only those that are, or are not')),
    }),
    response: OwnTickets,
    async handle({ db, services, caller, query, page }): Promise<Static<typeof OwnTickets>> {
      const given = query as { page?: number; size?: number };
      const isPage = given.page !== undefined || given.size !== undefined;
      const paging = isPage ? { page: given.page ?? 1, size: given.size ?? 50 } : { page: 1, size: 1 };
      const { count, rows } = isPage
        ? await listOwnTickets(db, caller, query.resolved, paging)
        : await newestOwnTicket(db, caller);
      const tickets = await completeTickets(db, services, rows, isPage ? { inList: true } : {});
      return isPage ? page(paging, count, tickets) : (tickets[0] ?? {});
    },
  }),
  operation({
    id: 'createTicket',
    method: 'POST',
    path: '/support/ticket',
    tag,
    summary: 'Open a ticket',
    access: mayOpen,
    body: NewTicket,
    response: Ticket,
    errors: [siteNotFound, attachmentNotFound, tooManyMessages],
    handle: (call) => createTicket(call, call.body),
  }),
  operation({
    id: 'getTicket',
    method: 'GET',
    path: '/support/ticket/{ticket_id}',
    tag,
    summary: 'One ticket with its replies',
    access: onTicket('viewer'),
    params: TicketPath,
    response: Ticket,
    handle: async ({ db, services, subject: row }) =>
      (await completeTickets(db, services, [row]))[0] as Static<typeof Ticket>,
  }),
  operation({
    id: 'updateTicket',
    method: 'PATCH',
    path: '/support/ticket/{ticket_id}',
    tag,
    summary: 'Give the assistant instructions for this ticket',
    access: onTicket('member'),
    params: TicketPath,
    body: TicketChange,
    response: Ticket,
    async handle({ db, services, caller, subject: row, body }) {
      if (body.assistant_custom_instructions !== undefined)
        await setInstructions(db, row.id, body.assistant_custom_instructions, caller.userId);
      return getTicket(db, services, row.id);
    },
  }),
  operation({
    id: 'deleteTicket',
    method: 'DELETE',
    path: '/support/ticket/{ticket_id}',
    tag,
    summary: 'Delete a ticket with its replies',
    access: onTicket('admin', {
      rule: 'whoever opened it',
      test: (caller, ticket) => ticket.user_id === caller.userId,
    }),
    params: TicketPath,
    response: Empty,
    async handle({ db, subject: row }) {
      await deleteTicket(db, row.id);
      return {};
    },
  }),
  operation({
    id: 'listReplies',
    method: 'GET',
    path: '/support/ticket/{ticket_id}/reply',
    tag,
    summary: 'The replies to a ticket, newest first',
    access: onTicket('viewer'),
    params: TicketPath,
    query: Type.Object(PageQuery),
    response: PageOf(Reply),
    async handle({ db, services, subject: row, query, page }) {
      const { count, rows } = await listReplies(db, row.id, query);
      return page(query, count, await completeReplies(db, services, rows));
    },
  }),
  operation({
    id: 'createReply',
    method: 'POST',
    path: '/support/ticket/{ticket_id}/reply',
    tag,
    summary: 'Reply to a ticket, resolve or reopen it',
    access: onTicket('member'),
    params: TicketPath,
    body: NewReply,
    response: Reply,
    errors: [noMessagesLeft, assistantSpent, attachmentNotFound, tooManyMessages],
    handle: (call) => createReply(call, call.subject, call.body),
  }),
  operation({
    id: 'getTicketContext',
    method: 'GET',
    path: '/support/ticket/{ticket_id}/context',
    tag,
    summary: 'What stands around a ticket: its site with versions, the last errors and what changed last',
    access: onTicket('viewer'),
    params: TicketPath,
    response: TicketContext,
    handle: ({ db, services, caller, subject: row }) => contextOf(db, services, caller, row),
  }),
  streamOperation({
    id: 'streamAnswers',
    method: 'GET',
    path: '/support/ticket/{ticket_id}/answer/stream',
    tag,
    summary: 'What the assistant is writing in a ticket, as it is written (Server-Sent Events)',
    access: onTicket('viewer'),
    params: TicketPath,
    stream: ({ services, caller, subject: row }, response) => streamAnswers(services, caller, row, response),
  }),
  operation({
    id: 'listAllTickets',
    method: 'GET',
    path: '/operator/ticket',
    tag: 'operators',
    summary: 'Every ticket of the platform, those first in which something happened last',
    access: operator,
    query: Type.Object({
      resolved: Type.Optional(say(Type.Boolean(), 'Only those that are, or are not')),
      waits_for: Type.Optional(OneOf(WAITS_FOR, { description: 'Only those that wait for this one' })),
      assigned: Type.Optional(OneOf(['me', 'nobody'], { description: 'Only yours, or only those that nobody has' })),
      team_id: Type.Optional(say(Uuid, 'Only those of this team')),
      ...PageQuery,
    }),
    response: PageOf(Ticket),
    async handle({ db, services, caller, query, page }) {
      const { assigned, ...filter } = query;
      const assignee = assigned && { assignee_id: assigned === 'me' ? caller.userId : null };
      const { count, rows } = await listAllTickets(db, { ...filter, ...assignee }, query);
      return page(query, count, await completeTickets(db, services, rows, { inList: true, asOperator: true }));
    },
  }),
  operation({
    id: 'getAnyTicket',
    method: 'GET',
    path: '/operator/ticket/{ticket_id}',
    tag: 'operators',
    summary: 'Any ticket with its replies',
    access: operator,
    params: TicketPath,
    response: Ticket,
    errors: [ticketNotFound],
    handle: ({ db, services, params }) => getTicket(db, services, params.ticket_id, { asOperator: true }),
  }),
  operation({
    id: 'getAnyTicketContext',
    method: 'GET',
    path: '/operator/ticket/{ticket_id}/context',
    tag: 'operators',
    summary: 'What stands around any ticket: its site with versions, the last errors and what changed last',
    access: onAnyTicket,
    params: TicketPath,
    response: TicketContext,
    handle: ({ db, services, caller, subject: row }) => contextOf(db, services, caller, row),
  }),
  operation({
    id: 'assignTicket',
    method: 'PUT',
    path: '/operator/ticket/{ticket_id}/assignee',
    tag: 'operators',
    summary: 'Give a ticket to an operator',
    access: onAnyTicket,
    params: TicketPath,
    body: Type.Object({ user_id: say(Uuid, 'The operator') }),
    response: Ticket,
    errors: [notOperator],
    async handle({ db, services, subject: row, body }) {
      const person = await findUserIfAny(db, body.user_id);
      if (!person?.is_superuser || !person.is_active) throw notOperator();
      await setAssignee(db, row.id, person.id);
      return getTicket(db, services, row.id, { asOperator: true });
    },
  }),
  operation({
    id: 'unassignTicket',
    method: 'DELETE',
    path: '/operator/ticket/{ticket_id}/assignee',
    tag: 'operators',
    summary: 'Nobody has the ticket any more',
    access: onAnyTicket,
    // It can be given to somebody again.
    effect: 'change',
    params: TicketPath,
    response: Ticket,
    async handle({ db, services, subject: row }) {
      await setAssignee(db, row.id, null);
      return getTicket(db, services, row.id, { asOperator: true });
    },
  }),
  operation({
    id: 'listAnyReplies',
    method: 'GET',
    path: '/operator/ticket/{ticket_id}/reply',
    tag: 'operators',
    summary: 'The replies to any ticket, newest first',
    access: onAnyTicket,
    params: TicketPath,
    query: Type.Object(PageQuery),
    response: PageOf(Reply),
    async handle({ db, services, subject: row, query, page }) {
      const { count, rows } = await listReplies(db, row.id, query);
      return page(query, count, await completeReplies(db, services, rows));
    },
  }),
  operation({
    id: 'answerTicket',
    method: 'POST',
    path: '/operator/ticket/{ticket_id}/reply',
    tag: 'operators',
    summary: 'Answer any ticket as the platform; its author is mailed',
    access: onAnyTicket,
    params: TicketPath,
    body: NewReply,
    response: Reply,
    errors: [attachmentNotFound],
    handle: (call) => answerTicket(call as Call, call.subject, call.body),
  }),
];
