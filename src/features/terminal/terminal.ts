import { randomUUID } from 'node:crypto';
import type { Caller } from '#core/auth/caller.ts';
import { hashToken, newToken } from '#core/auth/tokens.ts';
import type { Db } from '#core/db/database.ts';
import { API_PREFIX, type Redeemed } from '#core/http/operation.ts';
import type { Services } from '#core/services.ts';
import { goesOn, requireIdle } from '#features/hold/hold.ts';
import { findSiteById, recordSiteEvent, type SiteRow } from '#features/instance/instance.ts';
import { findSitting, type Sitting } from './sitting.ts';
import type { OpenTerminal, TerminalTicket } from './terminal.schema.ts';
import { terminalNotFound, ticketRefused, tooManyTerminals } from './terminal.schema.ts';
import { insertTicket, type Ticket, takeTicket } from './terminal.sql.ts';

export { findSitting, stillMay, watchRights } from './sitting.ts';

const TICKET_SECONDS = 30;
/** For as long as a page may be open that can not ask for another one; it counts only while its credential and its terminal do. */
const CARRYING_SECONDS = 24 * 3600;

/** Which terminal a socket is for, once its ticket was redeemed. */
export interface Seat {
  site: SiteRow;
  sessionId: string;
  mayOpen: boolean;
  carriesOn: boolean;
}

interface Wanted {
  site: SiteRow;
  /** One that runs already. */
  sessionId?: string | undefined;
  carriesOn?: boolean;
}

/** A ticket for a new terminal, or for one of the caller's own that runs. */
export async function issueTicket(
  db: Db,
  caller: Caller,
  { site, sessionId, carriesOn = false }: Wanted,
): Promise<Omit<TerminalTicket, 'socket_path'>> {
  const ticket = newToken();
  const session_id = sessionId ?? randomUUID();
  const { expires_at } = await insertTicket(
    db,
    {
      ticket_hash: hashToken(ticket),
      credential_id: caller.credential.id,
      site_id: site.id,
      session_id,
      is_new: sessionId === undefined,
      carries_on: carriesOn,
    },
    carriesOn && sessionId !== undefined ? CARRYING_SECONDS : TICKET_SECONDS,
  );
  return { session_id, ticket, expires_at };
}

export const socketPath = (fqdn: string): string => `${API_PREFIX}/site/${fqdn}/terminal/socket`;

/** Nobody sits down at a site that some work has to itself, nor at one that is not there yet. */
export function requireOpenSite({ busy }: Pick<SiteRow, 'busy'>): void {
  if (!goesOn(busy)) requireIdle({ busy });
}

const askedBy = (caller: Caller, site: SiteRow) => ({ owner: caller.userId, team: site.team_id });

export async function listOwnTerminals({ hosts }: Services, caller: Caller, site: SiteRow): Promise<OpenTerminal[]> {
  const { own } = await hosts.terminals(site, askedBy(caller, site));
  return own.map(({ session, openedAt, isAttended }) => ({
    session_id: session,
    opened_at: openedAt,
    is_attended: isAttended,
  }));
}

/** That it is theirs, or that there is room for another one. */
export async function requireTerminal(
  { hosts }: Services,
  caller: Caller,
  site: SiteRow,
  id: string | undefined,
): Promise<void> {
  const { own, isFull } = await hosts.terminals(site, askedBy(caller, site));
  if (id === undefined && isFull) throw tooManyTerminals();
  if (id !== undefined && !own.some(({ session }) => session === id)) throw terminalNotFound();
}

export async function endOwnTerminal({ hosts }: Services, caller: Caller, site: SiteRow, id: string): Promise<void> {
  if (!(await hosts.endTerminal(site, caller.userId, id))) throw terminalNotFound();
}

/** Who comes with a ticket: whoever it was given to, as they are now, for the site that it was given for. */
export async function redeemTicket(services: Services, text: string, fqdn: string): Promise<Redeemed<Seat>> {
  const ticket = await takeTicket(services.db, hashToken(text));
  if (!ticket) throw ticketRefused();
  const { caller, site } = await holderOf(services, ticket);
  const named = site.of_site_id === null ? site : await findSiteById(services.db, site.of_site_id);
  if (named?.fqdn !== fqdn) throw ticketRefused();
  const seat = { site, sessionId: ticket.session_id, mayOpen: ticket.is_new, carriesOn: ticket.carries_on };
  return { caller, prepared: seat, recheck: async () => void (await holderOf(services, ticket)) };
}

async function holderOf(services: Services, ticket: Pick<Ticket, 'credential_id' | 'site_id'>): Promise<Sitting> {
  const sitting = await findSitting(services, ticket);
  if (!sitting) throw ticketRefused();
  return sitting;
}

export function noteOpened(db: Db, caller: Caller, site: SiteRow, what = 'a terminal'): Promise<string> {
  return recordSiteEvent(db, caller, site, {
    event_type: 'site.shell',
    activity: `${caller.fullName} opened ${what} of ${site.fqdn}`,
    detail: { first_word: what.split(' ').at(-1) },
  });
}
