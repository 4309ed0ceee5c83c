import { sql } from 'kysely';
import type { Db } from '#core/db/database.ts';
import { deleteInBatches } from '#core/db/delete-in-batches.ts';
import { type Listing, listNewest, type Paging } from '#core/pages.ts';
import type { AccountView } from './account-view.schema.ts';

export type AccountViewRow = Omit<AccountView, 'operator'> & { operator_id: string };

const COLUMNS = sql`id, user_id, operator_id, reason, created_at, expires_at, ended_at`;

export async function insertAccountView(
  db: Db,
  view: Pick<AccountViewRow, 'user_id' | 'operator_id' | 'reason'> & {
    token_hash: Buffer;
    session_id: string;
    seconds: number;
  },
): Promise<AccountViewRow> {
  const { rows } = await sql<AccountViewRow>`
    insert into account_views (token_hash, user_id, operator_id, session_id, reason, expires_at)
    values (${view.token_hash}, ${view.user_id}, ${view.operator_id}, ${view.session_id}, ${view.reason},
      now() + make_interval(secs => ${view.seconds}))
    returning ${COLUMNS}`.execute(db);
  return rows[0] as AccountViewRow;
}

/** Whoever begins another one ends what they had. */
export async function endAccountViews(
  db: Db,
  which: { id: string } | { operator_id: string; session_id: string },
): Promise<void> {
  const match =
    'id' in which
      ? sql`id = ${which.id}`
      : sql`operator_id = ${which.operator_id} and session_id = ${which.session_id}`;
  await sql`update account_views set ended_at = now() where ${match} and ended_at is null`.execute(db);
}

export async function listAccountViews(db: Db, userId: string, paging: Paging): Promise<Listing<AccountViewRow>> {
  const where = sql`user_id = ${userId}`;
  return listNewest<AccountViewRow>(db, { table: 'account_views', where, columns: COLUMNS }, paging);
}

/** As long as the events that tell of them. */
export async function forgetOldAccountViews(db: Db): Promise<void> {
  await deleteInBatches(db, 'account_views', sql`created_at < now() - interval '400 days'`);
}
