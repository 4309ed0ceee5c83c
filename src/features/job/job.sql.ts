import { sql } from 'kysely';
import type { Db } from '#core/db/database.ts';
import { deleteInBatches } from '#core/db/delete-in-batches.ts';
import { type Listing, listNewest, type Paging } from '#core/pages.ts';

export interface FailedJobRow {
  id: string;
  queue: string;
  key: string | null;
  kind: string;
  payload: Record<string, unknown>;
  error: string | null;
  created_at: Date;
}

const COLUMNS = sql`id, queue, key, kind, payload, error, created_at`;

export async function listFailedJobs(db: Db, paging: Paging): Promise<Listing<FailedJobRow>> {
  return listNewest<FailedJobRow>(db, { table: 'failed_jobs', where: sql`true`, columns: COLUMNS }, paging);
}

export async function countFailedJobs(db: Db): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*)::int as count from failed_jobs`.execute(db);
  return rows[0]?.count ?? 0;
}

export async function takeFailedJob(db: Db, id: string): Promise<FailedJobRow | undefined> {
  return (await sql<FailedJobRow>`delete from failed_jobs where id = ${id} returning ${COLUMNS}`.execute(db)).rows[0];
}

/** Answers kept for repeated requests serve for a day; a job that nobody looked at for months is done by nobody. */
export async function forgetOldWork(db: Db): Promise<void> {
  await deleteInBatches(db, 'idempotent_answers', sql`created_at < now() - interval '24 hours'`);
  await deleteInBatches(db, 'failed_jobs', sql`created_at < now() - interval '90 days'`);
}
