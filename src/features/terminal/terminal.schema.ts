import { type Static, Type } from 'typebox';
import { failure } from '#core/errors.ts';
import { Fqdn, OfStage, say, Timestamp, Uuid } from '#core/http/schema.ts';
import { MAX_COLUMNS, MAX_ROWS } from './terminal.protocol.ts';

export const SitePath = Type.Object({ fqdn: Fqdn });
export const TerminalPath = Type.Object({ fqdn: Fqdn, session_id: Uuid });
export const ForStage = { for_stage: OfStage };

export const NewTerminal = Type.Object({
  session_id: Type.Optional(
    Type.String({ format: 'uuid', description: 'Take up this terminal of yours again, instead of a new one' }),
  ),
  for_stage: OfStage,
});
export type NewTerminal = Static<typeof NewTerminal>;

export const TerminalTicket = Type.Object(
  {
    session_id: Uuid,
    ticket: Type.String({ description: 'Opens the socket, once' }),
    expires_at: Timestamp,
    socket_path: Type.String({ description: 'Where the WebSocket is; docs/decisions/0035 says what is spoken there' }),
  },
  { title: 'TerminalTicket' },
);
export type TerminalTicket = Static<typeof TerminalTicket>;

export const OpenTerminal = Type.Object(
  {
    session_id: Uuid,
    opened_at: Timestamp,
    is_attended: Type.Boolean({ description: 'Some window shows it' }),
  },
  { title: 'OpenTerminal' },
);
export type OpenTerminal = Static<typeof OpenTerminal>;

const Screen = (maximum: number) => Type.Integer({ minimum: 2, maximum });
export const SocketQuery = Type.Object({
  ticket: say(Type.String({ minLength: 1, maxLength: 200 }), 'As createTerminal answers it'),
  columns: Type.Optional(say(Screen(MAX_COLUMNS), 'The width of the screen')),
  rows: Type.Optional(say(Screen(MAX_ROWS), 'The height of the screen')),
  from: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
      description: 'How many bytes of it were seen already',
    }),
  ),
});
export type SocketQuery = Static<typeof SocketQuery>;

export const terminalNotFound = failure('terminal.not_found', 404, 'The terminal has ended, or it is not yours.');
export const ticketRefused = failure('terminal.ticket_refused', 403, 'The ticket was used already, or is too old.');
export const tooManyTerminals = failure('terminal.too_many', 429, 'The team has 30 terminals open; close some first.', {
  headers: { 'retry-after': '30' },
});
