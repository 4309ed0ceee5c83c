import { sql } from 'kysely';
import type { Db } from '#core/db/database.ts';
import { type Listing, listNewest, type Paging, patternOf } from '#core/pages.ts';
import type { User } from './user.schema.ts';

const USER_COLUMNS = [
  'id',
  'email',
  'first_name',
  'last_name',
  'is_active',
  'is_verified',
  'is_superuser',
  'is_payment_verified',
  'analytics_user_id',
  'created_at',
] as const;

const toUser = (row: Omit<User, 'full_name'>): User => ({
  ...row,
  full_name: `${row.first_name} ${row.last_name}`.trim(),
});

export interface NewUser {
  email: string;
  password_hash: string;
  first_name: string;
  last_name: string;
  is_superuser?: boolean;
  is_verified?: boolean;
}

/** Undefined when the address is taken. */
export async function insertUser(db: Db, user: NewUser): Promise<User | undefined> {
  const row = await db
    .insertInto('users')
    .values(user)
    .onConflict((conflict) => conflict.column('email').doNothing())
    .returning(USER_COLUMNS)
    .executeTakeFirst();
  return row && toUser(row);
}

export async function findUser(db: Db, id: string): Promise<User> {
  return toUser(await db.selectFrom('users').select(USER_COLUMNS).where('id', '=', id).executeTakeFirstOrThrow());
}

export async function findUserIfAny(db: Db, id: string): Promise<User | undefined> {
  return (await usersById(db, [id])).get(id);
}

/** The people behind a page of rows, in one query. */
export async function usersById(db: Db, ids: Iterable<string>): Promise<Map<string, User>> {
  const unique = [...new Set(ids)];
  if (unique.length === 0) return new Map();
  const { rows } = await sql<Omit<User, 'full_name'>>`
    select ${sql.join(USER_COLUMNS.map((name) => sql.id(name)))} from users where id = any(${unique}::uuid[])`.execute(
    db,
  );
  return new Map(rows.map((row) => [row.id, toUser(row)]));
}

/** Everybody on the platform, or those whose name or address holds the text. */
export async function listUsers(
  db: Db,
  { search, is_superuser }: { search?: string; is_superuser?: boolean },
  paging: Paging,
): Promise<Listing<User>> {
  const parts = [sql`true`];
  // As the index on parts of names has it.
  if (search !== undefined)
    parts.push(sql`lower(email || ' ' || first_name || ' ' || last_name) like ${patternOf(search)}`);
  if (is_superuser !== undefined) parts.push(is_superuser ? sql`is_superuser` : sql`not is_superuser`);
  const where = sql.join(parts, sql` and `);
  const columns = sql.join(USER_COLUMNS.map((name) => sql.id(name)));
  const { count, rows } = await listNewest<Omit<User, 'full_name'>>(db, { table: 'users', where, columns }, paging);
  return { count, rows: rows.map(toUser) };
}

export async function countUsers(db: Db): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*)::int as count from users`.execute(db);
  return rows[0]?.count ?? 0;
}

export async function findSignIn(
  db: Db,
  email: string,
): Promise<{ id: string; password_hash: string; is_active: boolean } | undefined> {
  return db
    .selectFrom('users')
    .select(['id', 'password_hash', 'is_active'])
    .where('email', '=', email)
    .executeTakeFirst();
}

/** Whoever writes something that belongs to this person waits until the transaction ends. */
export async function lockUser(db: Db, id: string): Promise<void> {
  await sql`select from users where id = ${id} for update`.execute(db);
}

export async function passwordHashOf(db: Db, id: string): Promise<string> {
  return (await db.selectFrom('users').select('password_hash').where('id', '=', id).executeTakeFirstOrThrow())
    .password_hash;
}

/** Whom a mail goes to, and which kinds of mail they do not want. */
export async function findRecipient(
  db: Db,
  id: string,
): Promise<{ email: string; first_name: string; muted_mails: string[] }> {
  return db
    .selectFrom('users')
    .select(['email', 'first_name', 'muted_mails'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
}

export async function updateMutedMails(
  db: Db,
  id: string,
  { mute, unmute }: { mute: readonly string[]; unmute: readonly string[] },
): Promise<void> {
  await sql`
    update users set muted_mails = array(
      select distinct kind from unnest(muted_mails || ${[...mute]}::text[]) as kind where kind <> all (${[...unmute]}::text[])
      order by kind)
    where id = ${id}`.execute(db);
}

export async function updateUser(
  db: Db,
  id: string,
  change: {
    email?: string;
    first_name?: string;
    last_name?: string;
    password_hash?: string;
    is_verified?: boolean;
    is_active?: boolean;
    default_region_id?: number | null;
  },
): Promise<void> {
  if (Object.keys(change).length > 0) await db.updateTable('users').set(change).where('id', '=', id).execute();
}

/** Where this person wants their sites; undefined where that is for the platform to say. */
export async function findDefaultRegion(db: Db, id: string): Promise<{ id: number; name: string } | undefined> {
  return db
    .selectFrom('users')
    .innerJoin('regions', 'regions.id', 'users.default_region_id')
    .select(['regions.id', 'regions.name'])
    .where('users.id', '=', id)
    .executeTakeFirst();
}

export async function hasOperator(db: Db): Promise<boolean> {
  return (
    (await db.selectFrom('users').select('id').where('is_superuser', '=', true).limit(1).executeTakeFirst()) !==
    undefined
  );
}
