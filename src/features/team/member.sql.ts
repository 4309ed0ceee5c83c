import { sql } from 'kysely';
import type { Role } from '#core/auth/caller.ts';
import type { Db } from '#core/db/database.ts';
import { type Listing, listNewest, type Paging } from '#core/pages.ts';
import type { SiteRoleWish } from './member.schema.ts';

/** Whoever is in a team for some of its sites alone has the role `limited` here, and a role on each of those. */
export interface MemberRow {
  id: string;
  team_id: string;
  user_id: string;
  role: Role | 'limited';
  joined_at: Date;
}

const COLUMNS = sql`id, team_id, user_id, role, joined_at`;

/** False when the person is in the team already. */
export async function insertMember(db: Db, teamId: string, userId: string, role: Role): Promise<boolean> {
  const { rows } = await sql`insert into team_members (team_id, user_id, role)
    select ${teamId}, ${userId}, ${role}
    where not exists (select from limited_members where team_id = ${teamId} and user_id = ${userId})
    on conflict (team_id, user_id) do nothing returning id`.execute(db);
  return rows.length > 0;
}

/** The same for some sites of the team alone. */
export async function insertLimitedMember(db: Db, teamId: string, userId: string): Promise<boolean> {
  const { rows } = await sql`insert into limited_members (team_id, user_id)
    select ${teamId}, ${userId} where not exists (select from team_members where team_id = ${teamId} and user_id = ${userId})
    on conflict (team_id, user_id) do nothing returning id`.execute(db);
  return rows.length > 0;
}

export function listMembers(db: Db, teamId: string, paging: Paging): Promise<Listing<MemberRow>> {
  const where = sql`team_id = ${teamId}`;
  return listNewest<MemberRow>(db, { table: 'team_people', where, columns: COLUMNS, orderBy: 'joined_at' }, paging);
}

export async function findMember(
  db: Db,
  teamId: string,
  key: { id: string } | { user_id: string },
): Promise<MemberRow | undefined> {
  const match = 'id' in key ? sql`id = ${key.id}` : sql`user_id = ${key.user_id}`;
  const { rows } = await sql<MemberRow>`
    select ${COLUMNS} from team_people where team_id = ${teamId} and ${match}`.execute(db);
  return rows[0];
}

export async function listOtherMembers(db: Db, teamId: string): Promise<MemberRow[]> {
  const { rows } = await sql<MemberRow>`
    select ${COLUMNS} from team_people where team_id = ${teamId} and role <> 'owner' order by id`.execute(db);
  return rows;
}

export async function isMemberByEmail(db: Db, teamId: string, email: string): Promise<boolean> {
  const { rows } = await sql`select from team_people m join users u on u.id = m.user_id
    where m.team_id = ${teamId} and u.email = ${email}`.execute(db);
  return rows.length > 0;
}

/** Takes the member out, with the API tokens they made for this team alone; false when somebody else just did. */
export async function deleteMember(db: Db, member: MemberRow): Promise<boolean> {
  const table = sql.id(member.role === 'limited' ? 'limited_members' : 'team_members');
  const { rows } = await sql`delete from ${table} where id = ${member.id} returning id`.execute(db);
  await sql`delete from credentials where user_id = ${member.user_id} and team_id = ${member.team_id}`.execute(db);
  return rows.length > 0;
}

export async function setRole(db: Db, { id, team_id, user_id, role: before, joined_at }: MemberRow, role: Role) {
  if (before !== 'limited') return sql`update team_members set role = ${role} where id = ${id}`.execute(db);
  await sql`delete from limited_members where id = ${id}`.execute(db);
  return sql`insert into team_members (id, team_id, user_id, role, joined_at)
    values (${id}, ${team_id}, ${user_id}, ${role}, ${joined_at})`.execute(db);
}

/** What somebody made for the whole team (webhooks, previews) ends by triggers when they leave `team_members`. */
export async function limitMember(db: Db, { id, team_id, user_id, role, joined_at }: MemberRow): Promise<void> {
  if (role === 'limited') return;
  await sql`delete from team_members where id = ${id}`.execute(db);
  await sql`insert into limited_members (id, team_id, user_id, joined_at)
    values (${id}, ${team_id}, ${user_id}, ${joined_at})`.execute(db);
}

/** Those sites of the team, and no others, each with its role; answers how many of them there are. */
export async function setSiteRoles(
  db: Db,
  member: Pick<MemberRow, 'team_id' | 'user_id'>,
  wanted: readonly SiteRoleWish[],
): Promise<number> {
  const { team_id, user_id } = member;
  const ids = wanted.map(({ site_id }) => site_id);
  await sql`delete from site_roles
    where team_id = ${team_id} and user_id = ${user_id} and site_id <> all(${ids}::uuid[])`.execute(db);
  const { rows } = await sql`
    insert into site_roles (user_id, site_id, team_id, role)
    select ${user_id}, s.id, s.team_id, w.role
    from unnest(${ids}::uuid[], ${wanted.map(({ role }) => role)}::text[]) as w (site_id, role)
    join sites s on s.id = w.site_id and s.team_id = ${team_id} and s.kind = 'live'
    on conflict (user_id, site_id) do update set role = excluded.role, team_id = excluded.team_id
    returning site_id`.execute(db);
  return rows.length;
}

export interface SiteRoleRow {
  user_id: string;
  site_id: string;
  fqdn: string;
  role: 'admin' | 'member' | 'viewer';
}

/** The sites that people of a team are limited to, for a page of them. */
export async function listSiteRoles(db: Db, teamId: string, userIds: readonly string[]): Promise<SiteRoleRow[]> {
  if (userIds.length === 0) return [];
  const { rows } = await sql<SiteRoleRow>`
    select r.user_id, r.site_id, s.fqdn, r.role from site_roles r join sites s on s.id = r.site_id
    where r.team_id = ${teamId} and r.user_id = any(${[...userIds]}::uuid[]) order by s.fqdn`.execute(db);
  return rows;
}

export async function teamIdsOf(db: Db, userId: string): Promise<string[]> {
  const { rows } = await sql<{ team_id: string }>`select team_id from team_members where user_id = ${userId}`.execute(
    db,
  );
  return rows.map(({ team_id }) => team_id);
}
