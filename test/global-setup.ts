import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '#core/db/embedded-postgres.ts';
import { prepareFpm } from './fpm-runtime.ts';
import { stopTestMariadb } from './mariadb.ts';
import { prepareWordPress } from './wordpress-cache.ts';

/**
 * One WordPress and one Postgres for the whole test run; TEST_DATABASE_URL may name another database. The runner calls this in its own process
 * before it starts the test files, and they inherit its environment; it calls the teardown after SIGINT and SIGTERM too.
 */
let dataDir: string | undefined;
let postgres: EmbeddedPostgres | undefined;

export async function globalSetup(): Promise<void> {
  const ends = await Promise.allSettled([prepareWordPress().then(prepareFpm), startPostgres()]);
  const failed = ends.find(({ status }) => status === 'rejected');
  if (!failed) return;
  // The runner skips the teardown when the set-up failed.
  await globalTeardown();
  throw (failed as PromiseRejectedResult).reason;
}

async function startPostgres(): Promise<void> {
  if (process.env.TEST_DATABASE_URL) return;
  dataDir = await mkdtemp(join(tmpdir(), 'siteyard-test-pg-'));
  postgres = await startEmbeddedPostgres({
    dataDir,
    // The data is thrown away, so nothing has to survive a power cut.
    settings: { fsync: 'off', full_page_writes: 'off', synchronous_commit: 'off', max_connections: 200 },
  });
  process.env.TEST_DATABASE_URL = postgres.url;
}

export async function globalTeardown(): Promise<void> {
  await stopTestMariadb();
  await postgres?.stop();
  if (dataDir) await rm(dataDir, { recursive: true, force: true });
}
