import { type Kysely, sql } from 'kysely';
import { type Db, inTransaction, type Tx } from '#core/db/database.ts';
import type { DB } from '#core/db/schema.generated.ts';

/** An object of the provider, in the shape that its API shows. */
export interface StoredObject {
  id: string;
  object: string;
  customer?: string | null;
}

export type Store = Kysely<DB>;

/** Any number that nobody else uses. */
const PROVIDER_LOCK = 7_390_214;

/** One request at a time: whoever reads after a change was announced reads the change. */
export function alone<T>(store: Store, work: (tx: Tx) => Promise<T>): Promise<T> {
  return inTransaction(store, async (tx) => {
    await holdProvider(tx);
    return work(tx);
  });
}

/** Until the transaction ends. */
export async function holdProvider(db: Db): Promise<void> {
  await sql`select pg_advisory_xact_lock(${PROVIDER_LOCK})`.execute(db);
}

export async function findObject<T extends StoredObject>(db: Db, object: string, id: string): Promise<T | undefined> {
  const { rows } = await sql<{ data: T }>`
    select data from test_payment_objects where id = ${id} and object = ${object}`.execute(db);
  return rows[0]?.data;
}

/** The newest first, as Stripe lists. */
export async function listObjects<T extends StoredObject>(db: Db, object: string, customer?: string): Promise<T[]> {
  const { rows } = await sql<{ data: T }>`
    select data from test_payment_objects where object = ${object}
      and ${customer === undefined ? sql`true` : sql`customer = ${customer}`} order by number desc`.execute(db);
  return rows.map(({ data }) => data);
}

export async function saveObject(db: Db, data: StoredObject): Promise<void> {
  await sql`insert into test_payment_objects (id, object, customer, data)
    values (${data.id}, ${data.object}, ${data.customer ?? null}, ${JSON.stringify(data)})
    on conflict (id) do update set data = excluded.data`.execute(db);
}
