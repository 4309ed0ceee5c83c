import { Kysely, PostgresDialect, type Transaction } from 'kysely';
import pg from 'pg';
import type { DB } from './schema.generated.ts';

/** The pool or a transaction: what every function that speaks SQL takes first. */
export type Db = Kysely<DB> | Transaction<DB>;
export type Tx = Transaction<DB>;

// Counters are far below 2^53, and a number is what the contract calls an integer.
pg.types.setTypeParser(pg.types.builtins.INT8, Number);

export interface Database {
  db: Kysely<DB>;
  pool: pg.Pool;
  close(): Promise<void>;
}

export function openDatabase(url: string, poolSize: number, onError: (error: Error) => void): Database {
  const pool = new pg.Pool({
    connectionString: url,
    max: poolSize,
    idleTimeoutMillis: 30_000,
    connectionTimeoutMillis: 10_000,
    application_name: 'siteyard',
  });
  // A pooled connection that breaks while idle must not take the process down; the pool replaces it.
  pool.on('error', onError);
  const db = new Kysely<DB>({ dialect: new PostgresDialect({ pool }) });
  return { db, pool, close: () => db.destroy() };
}

const afterCommits = new WeakMap<Tx, (() => void)[]>();

/** Runs the work in one transaction, then whatever it asked for with afterCommit. */
export async function inTransaction<T>(db: Kysely<DB>, work: (tx: Tx) => Promise<T>): Promise<T> {
  const actions: (() => void)[] = [];
  const result = await db.transaction().execute((tx) => {
    afterCommits.set(tx, actions);
    return work(tx);
  });
  for (const action of actions) action();
  return result;
}

/** For what must not happen when the transaction fails, such as dropping a cache entry too early. */
export function afterCommit(db: Db, action: () => void): void {
  const actions = afterCommits.get(db as Tx);
  if (actions) actions.push(action);
  else action();
}
