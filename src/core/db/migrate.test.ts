import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { sql } from 'kysely';
import { createTestDatabase } from '#testkit/app/test-app.ts';
import { StartupError } from '../startup-error.ts';
import { openDatabase } from './database.ts';
import { migrate } from './migrate.ts';

test('a failed migration is named, and those of the same start are rolled back with it', async (t) => {
  const { db, folder, write } = await prepare(t);
  await write('0001_first.sql', 'create table first ()');
  await migrate(db, folder);
  await write('0002_second.sql', 'create table second ()');
  await write('0003_third.sql', 'create table first ()');
  const error = await migrate(db, folder).catch((error) => error);
  assert.ok(error instanceof StartupError, String(error));
  assert.match(
    error.message,
    /migrations\/0003_third\.sql failed: .*first.* already exists\. The database is as it was/,
  );
  const { rows } = await sql`select to_regclass('second') as second`.execute(db);
  assert.deepEqual(rows, [{ second: null }]);
  await write('0003_third.sql', 'create table third ()');
  assert.deepEqual(await migrate(db, folder), ['0002_second', '0003_third']);
});

test('an older version refuses a database that a newer one has migrated, and names what it lacks', async (t) => {
  const { db, folder, write, remove } = await prepare(t);
  await write('0001_first.sql', 'create table first ()');
  await write('0002_second.sql', 'create table second ()');
  await migrate(db, folder);
  await remove('0002_second.sql');
  const error = await migrate(db, folder).catch((error) => error);
  assert.ok(error instanceof StartupError, String(error));
  assert.match(error.message, /newer version.*0002_second\.sql.*Start the newer version/);
});

async function prepare(t: TestContext) {
  const [database, path] = await Promise.all([
    createTestDatabase({ empty: true }),
    mkdtemp(join(tmpdir(), 'migrations-')),
  ]);
  const { db, close } = openDatabase(database.url, 2, () => {});
  t.after(async () => {
    await close();
    await database.drop();
    await rm(path, { recursive: true });
  });
  return {
    db,
    folder: pathToFileURL(`${path}/`),
    write: (name: string, text: string) => writeFile(join(path, name), text),
    remove: (name: string) => rm(join(path, name)),
  };
}
