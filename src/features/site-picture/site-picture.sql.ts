import { sql } from 'kysely';
import type { Db } from '#core/db/database.ts';

/** Those of the ids that are sites. */
export async function existingSites(db: Db, ids: readonly string[]): Promise<Set<string>> {
  const { rows } = await sql<{ id: string }>`select id from sites where id = any(${[...ids]}::uuid[])`.execute(db);
  return new Set(rows.map(({ id }) => id));
}
