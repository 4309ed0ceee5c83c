import { type Insertable, sql } from 'kysely';
import type { Db } from '#core/db/database.ts';
import type { DB } from '#core/db/schema.generated.ts';
import { type Listing, listNewest, type Paging } from '#core/pages.ts';
import type { GitAccount, Provider } from './git-account.schema.ts';

export type GitAccountRow = GitAccount & { secret_sealed: Buffer };

const COLUMNS = sql`id, provider, base_url, login, public_key, problem, created_at`;

/** Undefined when the user has linked an account of this host. */
export async function insertGitAccount(
  db: Db,
  account: Insertable<DB['git_accounts']> & { provider: Provider },
): Promise<GitAccount | undefined> {
  const row = await db
    .insertInto('git_accounts')
    .values(account)
    .onConflict((conflict) => conflict.columns(['user_id', 'base_url']).doNothing())
    .returning(['id', 'provider', 'base_url', 'login', 'public_key', 'problem', 'created_at'])
    .executeTakeFirst();
  return row as GitAccount | undefined;
}

/** How many a user has; until the transaction ends nobody else can add one. */
export async function countGitAccounts(db: Db, userId: string): Promise<number> {
  await sql`select from users where id = ${userId} for no key update`.execute(db);
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from git_accounts where user_id = ${userId}`.execute(db);
  return rows[0]?.count ?? 0;
}

export async function listGitAccounts(db: Db, userId: string, paging: Paging): Promise<Listing<GitAccount>> {
  return listNewest<GitAccount>(
    db,
    { table: 'git_accounts', where: sql`user_id = ${userId}`, columns: COLUMNS },
    paging,
  );
}

/** With what opens them, sealed. */
export async function findGitAccounts(db: Db, userId: string): Promise<GitAccountRow[]> {
  const { rows } = await sql<GitAccountRow>`
    select ${COLUMNS}, secret_sealed from git_accounts where user_id = ${userId} order by created_at, id`.execute(db);
  return rows;
}

/** Whoever's it is. */
export async function findGitAccount(db: Db, id: string): Promise<GitAccountRow | undefined> {
  const { rows } = await sql<GitAccountRow>`
    select ${COLUMNS}, secret_sealed from git_accounts where id = ${id}`.execute(db);
  return rows[0];
}

export async function deleteGitAccount(db: Db, userId: string, id: string): Promise<GitAccount | undefined> {
  const { rows } = await sql<GitAccount>`
    delete from git_accounts where id = ${id} and user_id = ${userId} returning ${COLUMNS}`.execute(db);
  return rows[0];
}

export async function deleteGitAccounts(db: Db, userId: string): Promise<GitAccount[]> {
  const { rows } = await sql<GitAccount>`
    delete from git_accounts where user_id = ${userId} returning ${COLUMNS}`.execute(db);
  return rows;
}

export async function setProblem(db: Db, id: string, problem: string | null): Promise<void> {
  await sql`update git_accounts set problem = ${problem} where id = ${id} and problem is distinct from ${problem}`.execute(
    db,
  );
}
