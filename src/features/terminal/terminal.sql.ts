import { type Selectable, sql } from 'kysely';
import type { Db } from '#core/db/database.ts';
import type { DB } from '#core/db/schema.generated.ts';

export type Ticket = Selectable<DB['terminal_tickets']>;

export async function insertTicket(
  db: Db,
  ticket: Omit<Ticket, 'expires_at'>,
  lifetimeSeconds: number,
): Promise<Pick<Ticket, 'expires_at'>> {
  const { rows } = await sql<Ticket>`
    insert into terminal_tickets (ticket_hash, credential_id, site_id, session_id, is_new, carries_on, expires_at)
    values (${ticket.ticket_hash}, ${ticket.credential_id}, ${ticket.site_id}, ${ticket.session_id}, ${ticket.is_new},
      ${ticket.carries_on}, now() + make_interval(secs => ${lifetimeSeconds}))
    returning expires_at`.execute(db);
  return rows[0] as Ticket;
}

/** Takes the ticket away: of two who show it at once, one has it. */
export async function takeTicket(db: Db, hash: Buffer): Promise<Ticket | undefined> {
  const { rows } = await sql<Ticket & { is_expired: boolean }>`
    delete from terminal_tickets where ticket_hash = ${hash} returning *, expires_at <= now() as is_expired`.execute(
    db,
  );
  const [ticket] = rows;
  return ticket && !ticket.is_expired ? ticket : undefined;
}

export async function deleteOldTickets(db: Db): Promise<void> {
  await sql`delete from terminal_tickets where expires_at < now()`.execute(db);
}
