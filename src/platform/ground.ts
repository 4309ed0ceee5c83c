import { join } from 'node:path';
import { type Database, openDatabase } from '#core/db/database.ts';
import { startEmbeddedPostgres } from '#core/db/embedded-postgres.ts';
import { Listener } from '#core/db/listener.ts';
import { migrate } from '#core/db/migrate.ts';
import { makeFolderDurably } from '#core/durable-folder.ts';
import type { Log } from '#core/log.ts';
import type { Stop } from '#core/part.ts';
import type { Config } from '../config.ts';
import { findLackOfRoom, keepReserve } from './disk-reserve.ts';

/** What is there before anything else: the folder, and a database with today's tables that is listened to. */
export interface Ground extends Database {
  /** Where the database is. */
  url: string;
  listener: Listener;
}

export async function layGround(config: Config, log: Log, stops: Stop[]): Promise<Ground> {
  // Others may pass through, since the embedded Postgres runs as somebody else; each thing inside guards itself.
  await makeFolderDurably(config.dataDir, 0o711);
  const lack = config.databaseUrl === undefined && (await findLackOfRoom(config.dataDir));
  if (lack) throw lack;
  const url = config.databaseUrl ?? (await startPostgres(config, log, stops));
  const warn = (error: Error) => log.warn({ err: error }, 'a database connection broke');
  await bringUpToDate(url, log, warn);
  const listener = new Listener(url, log);
  const isSilent = () => listener.isSilent;
  const database = openDatabase(url, config.databasePoolSize, warn, { isSilent });
  stops.push(() => database.close());
  listener.onSilence(() => database.cut());
  await listener.connect();
  stops.push(() => listener.close());
  return { ...database, url, listener };
}

/** A migration may take its time, and so may waiting for another process that is at it. */
async function bringUpToDate(url: string, log: Log, onError: (error: Error) => void): Promise<void> {
  const { db, close } = openDatabase(url, 2, onError, { statementMs: 0 });
  const applied = await migrate(db).finally(close);
  if (applied.length > 0) log.info({ applied }, 'database migrated');
}

/** What Postgres has for one process that does everything, and what each further one takes besides its pool. */
const CONNECTIONS = 60;
const OWN_CONNECTIONS = 5;

async function startPostgres(config: Config, log: Log, stops: Stop[]): Promise<string> {
  const postgres = await startEmbeddedPostgres({
    dataDir: join(config.dataDir, 'postgres'),
    log: (line) => log.info(line),
    settings: {
      max_connections: CONNECTIONS + (config.edgeProcesses - 1) * (config.databasePoolSize + OWN_CONNECTIONS),
    },
  });
  stops.push(() => postgres.stop());
  stops.push(await keepReserve(config.dataDir, log));
  return postgres.url;
}
