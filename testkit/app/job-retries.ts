import { sql } from 'kysely';
import type { Db } from '#core/db/database.ts';

const EVERY_MS = 100;

/** Does the work while no job waits for its next attempt: these are minutes apart in the end, and a test does not wait. */
export async function withoutRetryWaits<T>(db: Db, work: () => Promise<T>): Promise<T> {
  // One that comes when the app is gone already is too late for anybody.
  const hurry = setInterval(() => void endWaits(db).catch(() => {}), EVERY_MS);
  return work().finally(() => clearInterval(hurry));
}

/** Makes what waits due, and says so on the channel of pg-boss: the platform itself looks only once a second. */
async function endWaits(db: Db): Promise<void> {
  await sql`
    with due as (update jobs.job set start_after = now() where state = 'retry' and start_after > now() returning name)
    select pg_notify('pgboss_' || left(encode(sha224('jobs'::bytea), 'hex'), 24), name) from (select distinct name from due)
  `.execute(db);
}
