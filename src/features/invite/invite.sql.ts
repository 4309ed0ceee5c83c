import { sql } from 'kysely';
import type { Db } from '#core/db/database.ts';
import { type Listing, listNewest, type Paging } from '#core/pages.ts';
import type { Invite } from './invite.schema.ts';

export type InviteRow = Omit<Invite, 'link'> & { team_id: string; message: string | null; accepted_at: Date | null };

const COLUMNS = sql`id, team_id, created_by, target_email, first_name, message, role, site_ids, expiry, accepted_at, created_at`;

/** Undefined when the address has an open invite. */
export async function insertInvite(
  db: Db,
  invite: Pick<InviteRow, 'team_id' | 'created_by' | 'target_email' | 'first_name' | 'message' | 'role' | 'site_ids'>,
): Promise<InviteRow | undefined> {
  await sql`delete from team_invites where team_id = ${invite.team_id} and target_email = ${invite.target_email}
    and accepted_at is null and expiry <= now()`.execute(db);
  const { rows } = await sql<InviteRow>`
    insert into team_invites (team_id, created_by, target_email, first_name, message, role, site_ids, expiry)
    values (${invite.team_id}, ${invite.created_by}, ${invite.target_email}, ${invite.first_name}, ${invite.message}, ${invite.role}, ${invite.site_ids},
      now() + interval '7 days')
    on conflict (team_id, target_email) where accepted_at is null do nothing
    returning ${COLUMNS}`.execute(db);
  return rows[0];
}

export async function findInvite(db: Db, id: string): Promise<InviteRow | undefined> {
  return (await sql<InviteRow>`select ${COLUMNS} from team_invites where id = ${id}`.execute(db)).rows[0];
}

/** The same, kept from changing until the transaction ends: an invite is used once, however many try. */
export async function lockInvite(db: Db, id: string): Promise<InviteRow | undefined> {
  return (await sql<InviteRow>`select ${COLUMNS} from team_invites where id = ${id} for update`.execute(db)).rows[0];
}

export async function listOpenInvites(db: Db, teamId: string, paging: Paging): Promise<Listing<InviteRow>> {
  const where = sql`team_id = ${teamId} and accepted_at is null`;
  return listNewest<InviteRow>(db, { table: 'team_invites', where, columns: COLUMNS }, paging);
}

export async function countOpenInvites(db: Db, teamId: string): Promise<number> {
  const { rows } = await sql<{ open: number }>`
    select count(*)::int as open from team_invites where team_id = ${teamId} and accepted_at is null and expiry > now()`.execute(
    db,
  );
  return rows[0]?.open ?? 0;
}

export async function setInviteRole(
  db: Db,
  teamId: string,
  id: string,
  role: InviteRow['role'],
): Promise<InviteRow | undefined> {
  const { rows } = await sql<InviteRow>`
    update team_invites set role = ${role} where id = ${id} and team_id = ${teamId} and accepted_at is null
    returning ${COLUMNS}`.execute(db);
  return rows[0];
}

/** How many of these are live sites of the team. */
export async function countSitesOf(db: Db, teamId: string, ids: readonly string[]): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*)::int as count from sites
    where id = any(${[...ids]}::uuid[]) and team_id = ${teamId} and kind = 'live'`.execute(db);
  return rows[0]?.count ?? 0;
}

export async function deleteInvite(db: Db, teamId: string, id: string): Promise<InviteRow | undefined> {
  return (
    await sql<InviteRow>`delete from team_invites where id = ${id} and team_id = ${teamId} and accepted_at is null returning ${COLUMNS}`.execute(
      db,
    )
  ).rows[0];
}

/** Waits for whoever is accepting one at this moment; that one is not open any more then. */
export async function deleteOpenInvites(db: Db, teamId: string): Promise<InviteRow[]> {
  const { rows } = await sql<InviteRow>`
    delete from team_invites where team_id = ${teamId} and accepted_at is null returning ${COLUMNS}`.execute(db);
  return rows;
}

export async function markAccepted(db: Db, id: string): Promise<void> {
  await sql`update team_invites set accepted_at = now() where id = ${id}`.execute(db);
}

/** What the mail needs to say. */
type InvitationRow = InviteRow & {
  team_name: string;
  inviter_name: string | null;
  inviter_email: string | null;
};

export async function findInvitation(db: Db, id: string): Promise<InvitationRow | undefined> {
  const { rows } = await sql<InvitationRow>`
    select i.*, t.name as team_name, u.first_name || ' ' || u.last_name as inviter_name, u.email as inviter_email
    from team_invites i join teams t on t.id = i.team_id left join users u on u.id = i.created_by where i.id = ${id}`.execute(
    db,
  );
  return rows[0];
}
