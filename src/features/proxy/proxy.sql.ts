import { sql } from 'kysely';
import type { Db } from '#core/db/database.ts';

/** From now on teams and people have ids at the analytics, those that are there already too. */
export async function noteAnalytics(db: Db): Promise<void> {
  await sql`select note_analytics()`.execute(db);
}
