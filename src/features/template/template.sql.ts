import { type RawBuilder, type Selectable, sql } from 'kysely';
import type { Caller } from '#core/auth/caller.ts';
import type { Db } from '#core/db/database.ts';
import type { DB } from '#core/db/schema.generated.ts';
import { type Listing, listNewest, type Paging } from '#core/pages.ts';

export type TemplateRow = Selectable<DB['templates']>;

/** For everybody once an operator has approved it and its maker says so; else for its team, or where it has none for the teams of its maker. */
function isVisible(caller: Caller | undefined): RawBuilder<unknown> {
  const isOpen = sql`(templates.approved and templates.is_public)`;
  if (!caller) return isOpen;
  const teams = sql`any(${[...caller.roles.keys()]}::uuid[])`;
  return sql`(${isOpen} or templates.team_id = ${teams} or not templates.is_for_team and (templates.user_id = ${caller.userId} or exists (
    select from team_members where team_members.user_id = templates.user_id and team_members.team_id = ${teams})))`;
}

export async function findTemplate(db: Db, id: string): Promise<TemplateRow | undefined> {
  const { rows } = await sql<TemplateRow>`select * from templates where id = ${id}`.execute(db);
  return rows[0];
}

/** For operators, who see all of them. */
export async function findNamed(db: Db, name: string): Promise<TemplateRow | undefined> {
  const { rows } = await sql<TemplateRow>`select * from templates where name = ${name}`.execute(db);
  return rows[0];
}

export async function findVisible(db: Db, caller: Caller | undefined, name: string): Promise<TemplateRow | undefined> {
  const { rows } = await sql<TemplateRow>`
    select * from templates where name = ${name} and ${isVisible(caller)}`.execute(db);
  return rows[0];
}

export function listVisible(db: Db, caller: Caller, paging: Paging): Promise<Listing<TemplateRow>> {
  return listNewest(db, { table: 'templates', where: isVisible(caller), columns: sql`templates.*` }, paging);
}

export function listAll(db: Db, approved: boolean | undefined, paging: Paging): Promise<Listing<TemplateRow>> {
  const where = approved === undefined ? sql`true` : sql`approved = ${approved}`;
  return listNewest(db, { table: 'templates', where, columns: sql`templates.*` }, paging);
}

/** Whoever asks has to wait for one who asked before. */
export async function countOf(db: Db, userId: string): Promise<number> {
  await sql`select from users where id = ${userId} for update`.execute(db);
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from templates where user_id = ${userId}`.execute(db);
  return rows[0]?.count ?? 0;
}

export async function lockTemplate(db: Db, id: string): Promise<TemplateRow | undefined> {
  const { rows } = await sql<TemplateRow>`select * from templates where id = ${id} for update`.execute(db);
  return rows[0];
}

type NewRow = Pick<TemplateRow, 'id' | 'user_id' | 'team_id' | 'url' | 'description' | 'tag' | 'is_public' | 'theme'> &
  Pick<TemplateRow, 'of_site_id' | 'plugins' | 'readme' | 'working_event_id' | 'is_for_team' | 'wants_demo'>;

/** Undefined where the name is taken. */
export async function insertTemplate(db: Db, name: string, row: NewRow): Promise<TemplateRow | undefined> {
  return db
    .insertInto('templates')
    .values({ ...row, name })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .returningAll()
    .executeTakeFirst();
}

export async function updateTemplateRow(db: Db, id: string, change: Partial<TemplateRow>): Promise<TemplateRow> {
  return db.updateTable('templates').set(change).where('id', '=', id).returningAll().executeTakeFirstOrThrow();
}

export async function deleteTemplateRow(db: Db, id: string): Promise<void> {
  await sql`delete from templates where id = ${id}`.execute(db);
}
