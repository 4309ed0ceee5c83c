import { type RawBuilder, sql } from 'kysely';
import type { Db } from './database.ts';

const BATCH = 1_000;

/** Deletes what matches, a few rows at a time: nobody waits for long, and what was deleted stays so when it is cut short. */
export async function deleteInBatches(db: Db, table: string, where: RawBuilder<unknown>): Promise<void> {
  const name = sql.table(table);
  for (;;) {
    const { numAffectedRows } = await sql`
      delete from ${name} where ctid = any(array(
        select ctid from ${name} where ${where} limit ${BATCH} for update skip locked))`.execute(db);
    if ((numAffectedRows ?? 0n) < BigInt(BATCH)) return;
  }
}
