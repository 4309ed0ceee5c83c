import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { createLog } from '#core/log.ts';
import { overviewFeature } from '#features/overview/overview.feature.ts';
import { registerPerson, signInAs } from '#testkit/app/people.ts';
import { newSite } from '#testkit/app/sites.ts';
import { createTestDatabase, OPERATOR, startTestApp, type TestApp } from '#testkit/app/test-app.ts';
import { scratchFolder } from '#testkit/snapshots/scratch.ts';
import { readConfig } from '../../config.ts';
import { runCommand } from '../commands.ts';
import { keepInStore, listInStore, type StoredBackup, takeFromStore } from './in-store.ts';
import { backUpPlatform, restorePlatform } from './own-backup.ts';
import { readSealedLines, writeSealedLines } from './sealed-file.ts';

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
    assert.ok((await ageOf(app)) < 600, 'it counts from the first start until there is a backup');
    assert.equal((await overviewOf(app)).platform_backup.last_at, null);
    await sql`update platform set backup_watched_since = now() - interval '1 day'`.execute(app.services.db);
    assert.ok((await ageOf(app)) > 86_000);
    const own = { ...app.services.config, dataDir: folder, secretKey: SECRET_KEY };
    await assert.rejects(
      backUpPlatform(own, PASSPHRASE, async (write) => {
        await write(file);
        throw new Error('the store is away');
      }),
      /is away/,
    );
    assert.ok((await ageOf(app)) > 86_000, 'a backup that was not kept does not count');
    await backUpPlatform(own, PASSPHRASE, (write) => write(file));
    assert.ok((await ageOf(app)) < 600);
    const { last_at, age_seconds } = (await overviewOf(app)).platform_backup;
    assert.ok(last_at !== null && age_seconds < 600);
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
    await backUpPlatform(own, PASSPHRASE, (write) => keepInStore(store, write));
  } finally {
    await app.close();
  }
  const config = readConfig({ DATA_DIR: join(folder, 'data'), LOG_LEVEL: 'silent' });
  const { rows, previousKeysFile = '' } = await takeFromStore(store, {}, (file) =>
    restorePlatform(config, file, PASSPHRASE, log),
  );
  assert.ok(rows > 50);
  // The key was being changed: what is set then opens what is still sealed with those of before.
  const SECRET_KEY_PREVIOUS = (await readFile(previousKeysFile, 'utf8')).trim();
  assert.deepEqual(readConfig({ SECRET_KEY_PREVIOUS }).previousSecretKeys, PREVIOUS);
  assert.equal((await stat(previousKeysFile)).mode & 0o777, 0o600);
  // From the folder alone, where no service runs.
  assert.equal((await backUpPlatform(config, PASSPHRASE, (write) => write(second))).rows, rows);
  await assert.rejects(restorePlatform(config, second, PASSPHRASE, log), /has a database already/);
});

test('a database of another version is not backed up: no version could restore that', async (t) => {
  const folder = scratchFolder(t);
  const app = await startTestApp();
  try {
    await sql`delete from kysely_migration where name = (select max(name) from kysely_migration)`.execute(
      app.services.db,
    );
    const own = { ...app.services.config, dataDir: folder, secretKey: SECRET_KEY };
    const file = join(folder, 'platform.backup');
    await assert.rejects(
      backUpPlatform(own, PASSPHRASE, (write) => write(file)),
      /of another version .* Run backup-platform with the version/,
    );
    assert.deepEqual(await readdir(folder), []);
  } finally {
    await app.close();
  }
});

test('a restore that fails changes nothing in DATA_DIR and can be repeated, also after a kill', async (t) => {
  const folder = scratchFolder(t);
  const [file, unfit] = [join(folder, 'platform.backup'), join(folder, 'unfit.backup')];
  const app = await startTestApp();
  const own = { ...app.services.config, dataDir: folder, secretKey: SECRET_KEY };
  await backUpPlatform(own, PASSPHRASE, (write) => write(file)).finally(() => app.close());
  await writeSealedLines(
    unfit,
    PASSPHRASE,
    (async function* () {
      let isUnfit = false;
      for await (const line of readSealedLines(file, PASSPHRASE)) {
        yield line;
        if (!isUnfit && line.startsWith('{"table"')) yield JSON.stringify({ table: 'public.unknown', columns: [] });
        isUnfit ||= line.startsWith('{"table"');
      }
    })(),
  );
  const dataDir = join(folder, 'data');
  const config = readConfig({ DATA_DIR: dataDir, LOG_LEVEL: 'silent' });
  const log = createLog('silent');
  await assert.rejects(restorePlatform(config, unfit, PASSPHRASE, log), /unknown was another one/);
  assert.deepEqual(await readdir(dataDir), []);
  const damaged = join(folder, 'damaged.backup');
  await writeFile(damaged, (await readFile(file)).subarray(0, -20));
  await assert.rejects(restorePlatform(config, damaged, PASSPHRASE, log), /damaged/);
  assert.deepEqual(await readdir(dataDir), []);
  // As a restore leaves it that was killed.
  await mkdir(join(dataDir, 'postgres.restoring/cluster'), { recursive: true });
  await restorePlatform(config, file, PASSPHRASE, log);
  assert.deepEqual((await readdir(dataDir)).sort(), ['postgres', 'secret.key']);
});

test('one can list the backups in the store, and restore another one than the newest', async (t) => {
  const folder = scratchFolder(t);
  const place = { kind: 'disk' as const, folder: join(folder, 'store') };
  const backups: string[] = [];
  for (const text of ['first', 'second', 'third']) {
    const key = await keepInStore(place, (file) => writeSealedLines(file, PASSPHRASE, Readable.from([text])));
    backups.push(key.replace('platform/', ''));
    await sleep(5);
  }
  const [first, second, third] = backups as [string, string, string];
  const listed = await listInStore(place);
  assert.deepEqual(
    listed.map(({ name }) => name),
    [third, second, first],
  );
  const read = async (file: string) => (await Readable.from(readSealedLines(file, PASSPHRASE)).toArray()).join();
  assert.equal(await takeFromStore(place, {}, read), 'third');
  assert.equal(await takeFromStore(place, { name: first }, read), 'first');
  const notAfter = new Date((listed[1] as StoredBackup).at.getTime() + 1);
  assert.equal(await takeFromStore(place, { notAfter }, read), 'second');
  await assert.rejects(takeFromStore(place, { name: 'another' }, read), /no backup of the platform named another/);
  await assert.rejects(takeFromStore(place, { notAfter: new Date(0) }, read), /or before\. The oldest is/);
  const damaged = join(place.folder, 'platform', third);
  await writeFile(damaged, (await readFile(damaged)).subarray(0, -1));
  await assert.rejects(takeFromStore(place, {}, read), (error: Error) => error.message.includes(third));

  const printed: string[] = [];
  t.mock.method(console, 'log', (line: string) => printed.push(line));
  assert.equal(await runCommand('restore-platform', ['store', '--list'], { BACKUP_STORE: place.folder }), 0);
  assert.deepEqual(
    printed.map((line) => line.split(' ')[0]),
    [third, second, first],
  );
});

async function ageOf({ services }: TestApp): Promise<number> {
  const [figures] = overviewFeature.figures ?? [];
  return (await figures?.read(services))?.platform_backup_age_seconds as number;
}

async function overviewOf(app: TestApp) {
  const { api } = await signInAs(app, OPERATOR.email, OPERATOR.password);
  return api.getPlatformOverview();
}

type Services = Awaited<ReturnType<typeof startTestApp>>['services'];

/** What people have, row by row. */
async function stateOf(db: Services['db']): Promise<unknown> {
  const { rows } = await sql`
    select (select jsonb_agg(to_jsonb(u) order by id) from users u) as users,
      (select jsonb_agg(to_jsonb(s) - 'busy' order by id) from sites s) as sites,
      (select jsonb_agg(to_jsonb(m) order by to_jsonb(m)::text) from team_members m) as members`.execute(db);
  return rows[0];
}
