import { sql } from 'kysely';
import type { Db } from '#core/db/database.ts';

/** Whether this is a session of the built-in provider that belongs to this person. */
export async function ownsSession(db: Db, object: string, id: string, userId: string): Promise<boolean> {
  const { rows } = await sql`
    select from test_payment_objects o join payment_customers c on c.account = 'test' and c.customer_id = o.customer
    where o.id = ${id} and o.object = ${object} and c.user_id = ${userId}`.execute(db);
  return rows.length > 0;
}
