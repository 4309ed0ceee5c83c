import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import pg from 'pg';
import { openDatabase } from '#core/db/database.ts';
import { Listener } from '#core/db/listener.ts';
import { Jobs } from '#core/jobs/jobs.ts';
import type { Log } from '#core/log.ts';
import type { Services } from '#core/services.ts';
import { createTestDatabase } from '#testkit/app/test-app.ts';
import { prepareData } from './first-data.ts';

const LIMIT_MS = 100;
const OPENING_LOCK = 7_390_213;
const SETUP_LOCK = 7_390_212;
const log = { info() {}, warn() {}, error() {} } as unknown as Log;

let database: Awaited<ReturnType<typeof createTestDatabase>>;
before(async () => {
  database = await createTestDatabase({ empty: true });
});
after(() => database?.drop());

test('a start takes as long as it takes, and waits for another one that is at it, whatever the limit of a statement', async () => {
  const { db, pool, close } = openDatabase(database.url, 4, () => {}, { statementMs: LIMIT_MS });
  const other = new pg.Client({ connectionString: database.url });
  await other.connect();
  for (const lock of [OPENING_LOCK, SETUP_LOCK]) await other.query('select pg_advisory_lock($1)', [lock]);
  const jobs = new Jobs({ db, pool, listener: new Listener(database.url, log), log, worker: false });
  const started = Promise.all([
    jobs.open(),
    prepareData({ db } as Services, [
      { name: 'slow', prepare: async (tx) => void (await sql`select pg_sleep(0.2)`.execute(tx)) },
    ]),
  ]);
  await sleep(3 * LIMIT_MS);
  await other.end();
  await started;
  // And whoever comes after has the limit again.
  await assert.rejects(pool.query('select pg_sleep(1)'), /statement timeout/);
  await jobs.close();
  await close();
});
