import { type Selectable, sql, type Updateable } from 'kysely';
import type { Db } from '#core/db/database.ts';
import type { DB } from '#core/db/schema.generated.ts';
import { type Listing, listNewest, type Paging } from '#core/pages.ts';

export type ApplicationPasswordRow = Selectable<DB['application_passwords']>;

/** Undefined when the team has one for this host. */
export async function insertApplicationPassword(
  db: Db,
  row: Pick<ApplicationPasswordRow, 'team_id' | 'user_id' | 'fqdn' | 'username' | 'password_sealed'>,
): Promise<ApplicationPasswordRow | undefined> {
  return db
    .insertInto('application_passwords')
    .values(row)
    .onConflict((conflict) => conflict.columns(['team_id', 'fqdn']).doNothing())
    .returningAll()
    .executeTakeFirst();
}

export async function countApplicationPasswords(db: Db, teamId: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from application_passwords where team_id = ${teamId}`.execute(db);
  return rows[0]?.count ?? 0;
}

export async function listApplicationPasswords(
  db: Db,
  teamId: string,
  paging: Paging,
): Promise<Listing<ApplicationPasswordRow>> {
  const columns = sql`application_passwords.*`;
  const where = sql`team_id = ${teamId}`;
  return listNewest<ApplicationPasswordRow>(db, { table: 'application_passwords', where, columns }, paging);
}

export async function findApplicationPasswords(
  db: Db,
  fqdn: string,
  teamIds: Iterable<string>,
): Promise<ApplicationPasswordRow[]> {
  const { rows } = await sql<ApplicationPasswordRow>`
    select * from application_passwords where fqdn = ${fqdn} and team_id = any(${[...teamIds]}::uuid[])
    order by created_at, id`.execute(db);
  return rows;
}

/** Undefined when somebody else just deleted it. */
export async function lockApplicationPassword(db: Db, id: string): Promise<ApplicationPasswordRow | undefined> {
  const { rows } = await sql<ApplicationPasswordRow>`
    select * from application_passwords where id = ${id} for update`.execute(db);
  return rows[0];
}

export async function hostIsTaken(db: Db, teamId: string, fqdn: string, exceptId: string): Promise<boolean> {
  const { rows } = await sql`select from application_passwords
    where team_id = ${teamId} and fqdn = ${fqdn} and id <> ${exceptId}`.execute(db);
  return rows.length > 0;
}

export async function updateApplicationPassword(
  db: Db,
  id: string,
  change: Updateable<DB['application_passwords']>,
): Promise<ApplicationPasswordRow> {
  return db
    .updateTable('application_passwords')
    .set(change)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();
}

export async function deleteTeamPasswords(db: Db, teamId: string): Promise<ApplicationPasswordRow[]> {
  return db.deleteFrom('application_passwords').where('team_id', '=', teamId).returningAll().execute();
}

export async function deleteApplicationPassword(db: Db, id: string): Promise<ApplicationPasswordRow | undefined> {
  return db.deleteFrom('application_passwords').where('id', '=', id).returningAll().executeTakeFirst();
}
