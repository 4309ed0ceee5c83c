import assert from 'node:assert/strict';
import { mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { sql } from 'kysely';
import { createLog } from '#core/log.ts';
import { registerPerson, signInAs } from '#testkit/app/people.ts';
import { newSite } from '#testkit/app/sites.ts';
import { createTestDatabase, startTestApp } from '#testkit/app/test-app.ts';
import { scratchFolder } from '#testkit/snapshots/scratch.ts';
import { readConfig } from '../../config.ts';
import { keepInStore, takeFromStore } from './in-store.ts';
import { backUpPlatform, restorePlatform } from './own-backup.ts';

const PASSPHRASE = 'a passphrase that is long enough';
const SECRET_KEY = 'a key for tests that is long enough';
const PREVIOUS = ['the key of before'.padEnd(32, '.'), 'the one before that'.padEnd(32, '.')];

test('a platform comes back in an empty place: accounts, sites, what is sealed, and the stream of events', async (t) => {
  const folder = scratchFolder(t);
  const file = join(folder, 'platform.backup');
  const app = await startTestApp();
  let state: unknown;
  const person = await registerPerson(app, 'Ada');
  const site = await newSite(person);
  const lasting = app.services.secrets.deriveLasting('a test');
  try {
    await backUpPlatform({ ...app.services.config, dataDir: folder, secretKey: SECRET_KEY }, file, PASSPHRASE);
    state = await stateOf(app.services.db);
  } finally {
    await app.close();
  }
  assert.ok(!(await readFile(file)).includes('siteyard'));

  const { url: databaseUrl, drop } = await createTestDatabase({ empty: true });
  t.after(drop);
  const config = readConfig({ DATABASE_URL: databaseUrl, DATA_DIR: join(folder, 'data'), LOG_LEVEL: 'silent' });
  const restore = (passphrase: string, from = file) => restorePlatform(config, from, passphrase, createLog('silent'));
  await assert.rejects(restore('another passphrase'), /damaged, or the passphrase is another one/);
  const bytes = await readFile(file);
  bytes[bytes.length - 40] = (bytes[bytes.length - 40] as number) ^ 1;
  await writeFile(join(folder, 'damaged'), bytes);
  await assert.rejects(restore(PASSPHRASE, join(folder, 'damaged')), /damaged/);
  const keyFile = join(folder, 'data/secret.key');
  await mkdir(join(folder, 'data'), { recursive: true });
  await writeFile(keyFile, 'the key of another platform');
  await assert.rejects(restore(PASSPHRASE), /secret.key holds something else/);
  assert.equal(await readFile(keyFile, 'utf8'), 'the key of another platform');
  await rm(keyFile);
  await restore(PASSPHRASE);
  assert.equal((await readFile(keyFile, 'utf8')).trim(), SECRET_KEY);
  await assert.rejects(restore(PASSPHRASE), /belongs to a platform already/);

  const next = await startTestApp({ databaseUrl });
  try {
    assert.deepEqual(await stateOf(next.services.db), state);
    assert.equal(next.services.secrets.deriveLasting('a test'), lasting, 'what is sealed opens');
    const { api } = await signInAs(next, person.email);
    assert.equal((await api.getSite({ params: { fqdn: site.fqdn } })).id, site.id);
    assert.ok((await api.listSiteEvents({ params: { fqdn: site.fqdn } })).results.length > 0);
    const { rows } = await sql`select from events where xid >= pg_snapshot_xmin(pg_current_snapshot())`.execute(
      next.services.db,
    );
    assert.equal(rows.length, 0, 'readers of the stream see what happened before');
  } finally {
    await next.close();
  }
});

test('it comes back in an empty DATA_DIR with the embedded Postgres, and a backup of that holds the same', async (t) => {
  const folder = scratchFolder(t);
  const { url: databaseUrl, drop } = await createTestDatabase();
  t.after(drop);
  const app = await startTestApp({ databaseUrl });
  const second = join(folder, 'second');
  const store = { kind: 'disk' as const, folder: join(folder, 'store') };
  const log = createLog('silent');
  try {
    await registerPerson(app, 'Grace');
    const own = { ...app.services.config, secretKey: SECRET_KEY, previousSecretKeys: PREVIOUS };
    await keepInStore(store, (file) => backUpPlatform(own, file, PASSPHRASE));
  } finally {
    await app.close();
  }
  const config = readConfig({ DATA_DIR: join(folder, 'data'), LOG_LEVEL: 'silent' });
  const { rows, previousKeysFile = '' } = await takeFromStore(store, (file) =>
    restorePlatform(config, file, PASSPHRASE, log),
  );
  assert.ok(rows > 50);
  // The key was being changed: what is set then opens what is still sealed with those of before.
  const SECRET_KEY_PREVIOUS = (await readFile(previousKeysFile, 'utf8')).trim();
  assert.deepEqual(readConfig({ SECRET_KEY_PREVIOUS }).previousSecretKeys, PREVIOUS);
  assert.equal((await stat(previousKeysFile)).mode & 0o777, 0o600);
  // From the folder alone, where no service runs.
  assert.deepEqual(await backUpPlatform(config, second, PASSPHRASE), { rows });
  await assert.rejects(restorePlatform(config, second, PASSPHRASE, log), /has a database already/);
});

type Services = Awaited<ReturnType<typeof startTestApp>>['services'];

/** What people have, row by row. */
async function stateOf(db: Services['db']): Promise<unknown> {
  const { rows } = await sql`
    select (select jsonb_agg(to_jsonb(u) order by id) from users u) as users,
      (select jsonb_agg(to_jsonb(s) - 'busy' order by id) from sites s) as sites,
      (select jsonb_agg(to_jsonb(m) order by to_jsonb(m)::text) from team_members m) as members`.execute(db);
  return rows[0];
}
