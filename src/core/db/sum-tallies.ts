import { sql } from 'kysely';
import type { Db } from './database.ts';

/**
 * A tally is a table of lines, each a key and an amount that may be negative: what counts is the sum. Whoever counts adds a line, so that nobody waits for
 * anybody's transaction; this makes one line of those of a key. The sum is the same for every reader at any time, also while two do this at once.
 */
export async function sumTallies(
  db: Db,
  { table, key, amount }: { table: string; key: readonly string[]; amount: string },
): Promise<void> {
  const columns = sql.join(key.map((name) => sql.id(name)));
  const [lines, sum] = [sql.id(table), sql`sum(${sql.id(amount)})`];
  await sql`
    with summed as (
      delete from ${lines} where (${columns}) in (select ${columns} from ${lines} group by ${columns} having count(*) > 1)
      returning ${columns}, ${sql.id(amount)}
    )
    insert into ${lines} (${columns}, ${sql.id(amount)}) select ${columns}, ${sum} from summed group by ${columns} having ${sum} <> 0`.execute(
    db,
  );
}
