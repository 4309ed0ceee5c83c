import { Kysely, PostgresDialect, type Transaction } from 'kysely';
import pg from 'pg';
import { Client, type ClientOptions } from './client.ts';
import type { DB } from './schema.generated.ts';

/** The pool or a transaction: what every function that speaks SQL takes first. */
export type Db = Kysely<DB> | Transaction<DB>;
export type Tx = Transaction<DB>;

export interface Database {
  db: Kysely<DB>;
  pool: pg.Pool;
  /** Ends every connection at once; whoever waits for a query is told that it is gone. */
  cut(): void;
  close(): Promise<void>;
}

interface DatabaseOptions {
  /** While it says so nobody is let wait for a connection (listener.ts). */
  isSilent?: () => boolean;
  /** How long a statement may take; 0 for work that takes as long as it takes. */
  statementMs?: number;
}

/** Longer than any statement of ours takes: what is at work still then waits for something that does not come. */
const STATEMENT_MS = 60_000;

export function openDatabase(
  url: string,
  poolSize: number,
  onError: (error: Error) => void,
  { isSilent, statementMs = STATEMENT_MS }: DatabaseOptions = {},
): Database {
  const settings = {
    // A day is 24 hours to us, whatever zone an external server is in.
    TimeZone: 'UTC',
    statement_timeout: statementMs,
    // A process of ours that hangs in a transaction must not hold its rows for ever.
    idle_in_transaction_session_timeout: statementMs,
    // Nor its locks where the network between went away: half a minute, and the server ends the connection. No matter on a Unix socket.
    tcp_keepalives_idle: 15,
    tcp_keepalives_interval: 5,
    tcp_keepalives_count: 3,
  };
  const alive = new Set<Client>();
  const config: pg.PoolConfig & ClientOptions = {
    Client,
    alive,
    connectionString: url,
    max: poolSize,
    idleTimeoutMillis: 30_000,
    connectionTimeoutMillis: 5_000,
    application_name: 'siteyard',
    options: Object.entries(settings)
      .map(([name, value]) => `-c ${name}=${value}`)
      .join(' '),
    ...(isSilent && { isSilent }),
  };
  const pool = new pg.Pool(config);
  // A connection that breaks must not take the process down, be it idle or at work; the pool replaces it, and whoever
  // waits for a query on it is told by that query. The pool repeats what an idle one said.
  pool.on('connect', (client) => client.on('error', (error) => pool.ending || onError(error)));
  pool.on('error', () => {});
  const db = new Kysely<DB>({ dialect: new PostgresDialect({ pool }) });
  const cut = () => {
    for (const client of alive) client.cut();
  };
  return { db, pool, cut, close: () => db.destroy() };
}

type Answers<Questions extends readonly (() => Promise<unknown>)[]> = {
  [Index in keyof Questions]: Awaited<ReturnType<Questions[Index]>>;
};

/** Questions that do not wait for each other: asked at once, or in turn inside of a transaction, where there is one connection. */
export async function askTogether<const Questions extends readonly (() => Promise<unknown>)[]>(
  db: Db,
  ...questions: Questions
): Promise<Answers<Questions>> {
  if (!db.isTransaction) return (await Promise.all(questions.map((ask) => ask()))) as Answers<Questions>;
  const answers: unknown[] = [];
  for (const ask of questions) answers.push(await ask());
  return answers as Answers<Questions>;
}

const afterCommits = new WeakMap<Tx, (() => void)[]>();

/** Runs the work in one transaction, then whatever it asked for with afterCommit. */
export async function inTransaction<T>(db: Kysely<DB>, work: (tx: Tx) => Promise<T>): Promise<T> {
  const actions: (() => void)[] = [];
  let failed: { error: unknown } | undefined;
  const transaction = db.transaction().execute(async (tx) => {
    afterCommits.set(tx, actions);
    try {
      return await work(tx);
    } catch (error) {
      failed = { error };
      throw error;
    }
  });
  const result = await transaction.catch((error) => {
    // Where the rollback fails too, as on a broken connection, the reason is still what failed first.
    throw failed ? failed.error : error;
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
