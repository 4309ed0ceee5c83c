import { sql } from 'kysely';
import type { Db } from '#core/db/database.ts';
import type { SiteRow } from '#features/instance/instance.ts';

/** A site, or the stage of one, whose editor may be open; whether it is, and with which password, its live site says. */
export interface EditorRow extends SiteRow {
  live_fqdn: string;
  is_open: boolean;
  password_sealed: Buffer;
  is_active: boolean;
  is_expired: boolean;
  /** Whether the owner of the team has confirmed their address. */
  owner_is_verified: boolean;
}

/** `name` is the editor's own. A site that had such a name before there were editors keeps it. */
export async function findEditor(
  db: Db,
  name: string,
  of: { id: string } | { fqdn: string },
): Promise<EditorRow | undefined> {
  const which = 'id' in of ? sql`s.id = ${of.id}` : sql`s.fqdn = ${of.fqdn} and s.kind = 'live'`;
  const { rows } = await sql<EditorRow>`
    select s.*, live.fqdn as live_fqdn, live.code_server_enabled as is_open,
      live.code_server_password_sealed as password_sealed, t.is_active, t.is_expired,
      u.is_verified as owner_is_verified
    from sites s join sites live on live.id = coalesce(s.of_site_id, s.id) join teams t on t.id = s.team_id
      join users u on u.id = t.user_id
    where ${which} and s.kind in ('live', 'stage') and not exists (select from site_names n where n.fqdn = ${name})`.execute(
    db,
  );
  return rows[0];
}

/** Whether what runs of the instance's editor may go on. */
export async function editorIsOpen(db: Db, siteId: string): Promise<boolean> {
  const { rows } = await sql`
    select from sites s join sites live on live.id = coalesce(s.of_site_id, s.id) join teams t on t.id = s.team_id
    where s.id = ${siteId} and live.code_server_enabled and t.is_active and not t.is_expired`.execute(db);
  return rows.length > 0;
}

/** The stage goes with its site. */
export async function copiesOf(db: Db, siteId: string): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from sites where of_site_id = ${siteId} and kind = 'stage'`.execute(db);
  return rows.map(({ id }) => id);
}

interface Ticket {
  hash: Buffer;
  siteId: string;
  credentialId: string;
  expiresAt: Date;
}

export async function insertTicket(db: Db, { hash, siteId, credentialId, expiresAt }: Ticket): Promise<void> {
  await sql`insert into code_server_tickets (ticket_hash, site_id, credential_id, expires_at)
    values (${hash}, ${siteId}, ${credentialId}, ${expiresAt})`.execute(db);
}

/** Takes a ticket, which is then gone: whose credential it was made with. */
export async function takeTicket(db: Db, hash: Buffer, siteId: string): Promise<string | undefined> {
  const { rows } = await sql<{ credential_id: string; is_good: boolean }>`
    delete from code_server_tickets where ticket_hash = ${hash} and site_id = ${siteId}
    returning credential_id, expires_at > now() as is_good`.execute(db);
  return rows[0]?.is_good ? rows[0].credential_id : undefined;
}

export async function forgetTickets(db: Db): Promise<void> {
  await sql`delete from code_server_tickets where expires_at < now()`.execute(db);
}
