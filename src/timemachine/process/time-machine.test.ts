import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { suite, type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '#testkit/expect.ts';
import { Random } from '#testkit/random.ts';
import '#testkit/runner/own-process.ts';
import { MemoryS3 } from '#testkit/servers/memory-s3.ts';
import { gatewayAccount } from '#testkit/snapshots/gateway-store.ts';
import { RandomSite } from '#testkit/snapshots/random-site.ts';
import { scratchFolder } from '#testkit/snapshots/scratch.ts';
import { truthOfDatabase, truthOfFolder } from '#testkit/snapshots/truth.ts';
import { commandOf, descendants } from '../../../bench/proc.ts';
import { hashOf } from '../hash.ts';
import { Repository } from '../repository.ts';
import { openStore, type StoreDescription } from '../stores/open-store.ts';
import type { Progress, SitePlace, SnapshotReport } from './protocol.ts';
import { TimeMachine } from './time-machine.ts';

const STORES: Record<StoreDescription['kind'], (t: TestContext, folder: string) => Promise<StoreDescription>> = {
  disk: async (_, folder) => ({ kind: 'disk', folder: join(folder, 'store') }),
  s3: async (t, folder) => ({
    kind: 's3',
    account: gatewayAccount() ?? (await MemoryS3.start(t)).account,
    queue: { folder: join(folder, 'queue'), cacheBytes: 1e8, queueBytes: 1e9, owner: 'us' },
    seal: { key: randomBytes(32).toString('base64'), isOn: true },
  }),
};
const RULES = { publicFolders: ['common'], tablePrefix: '', fleetingTables: [], hiddenTables: [], neededTables: [] };

async function makeSite(t: TestContext, kind: StoreDescription['kind'] = 'disk') {
  const folder = scratchFolder(t);
  const site = new RandomSite(join(folder, 'site'), join(folder, 'site.sqlite'), new Random(1));
  const store = await STORES[kind](t, folder);
  const timeMachine = new TimeMachine({ store, processes: 1 });
  t.after(() => timeMachine.close());
  const place: SitePlace = {
    space: 'ada',
    site: 'site',
    content: site.folder,
    database: { kind: 'sqlite', file: site.database },
    rules: RULES,
    staging: join(folder, 'staging'),
    state: join(folder, 'state.json'),
    isSuspect: false,
    recorded: null,
  };
  const truth = () => ({ files: truthOfFolder(site.folder), tables: truthOfDatabase(site.database) });
  return { folder, site, store, timeMachine, place, truth };
}

const helpers = () => descendants(process.pid).filter((pid) => commandOf(pid).includes('timemachine/process/program'));
const everything = (point: { hash: string; timeMs: number }) => {
  return { point, files: true, tables: true, deleteExtraFiles: true };
};

for (const kind of ['disk', 's3'] as const) {
  test(`a site is kept, brought back and copied in a store of the kind ${kind}`, async (t) => {
    const { folder, site, timeMachine, place, truth } = await makeSite(t, kind);
    const { newest } = await timeMachine.snapshot(place);
    const before = truth();
    for (let minute = 0; minute < 5; minute++) site.minute();
    await timeMachine.restore(place, everything(newest));
    assert.deepEqual(truth(), before);
    const copy = {
      content: join(folder, 'copy'),
      database: { kind: 'sqlite', file: join(folder, 'copy.sqlite') },
      state: join(folder, 'copy-state'),
    } as const;
    await timeMachine.copy({ ...place, now: place }, newest, copy);
    assert.deepEqual({ files: truthOfFolder(copy.content), tables: truthOfDatabase(copy.database.file) }, before);
    assert.deepEqual((await timeMachine.check()).faults, []);
  });
}

for (const space of ['ada', 'bob']) {
  test(`a copy that is kept in the space ${space} is kept whole, and costs little where that is the same`, async (t) => {
    const { folder, timeMachine, place, truth } = await makeSite(t, 'disk');
    // Younger files are read again, whatever is known of them.
    await sleep(2_100);
    const { newest } = await timeMachine.snapshot(place);
    const placeOf = (name: string) => ({
      ...place,
      ...{ space, site: name, content: join(folder, name), staging: join(folder, `${name}-staging`) },
      ...{
        database: { kind: 'sqlite' as const, file: join(folder, `${name}.sqlite`) },
        state: join(folder, `${name}-state`),
      },
    });
    const [copy, second] = [placeOf('copy'), placeOf('second')];
    await timeMachine.copy({ ...place, now: place }, newest, copy);
    const kept = await timeMachine.snapshot(copy);
    assert.equal(kept.newest.storedBytes > newest.storedBytes / 2, space !== place.space);
    assert.deepEqual((await timeMachine.check()).faults, []);
    await timeMachine.copy({ ...copy, now: null }, kept.newest, second);
    const found = { files: truthOfFolder(second.content), tables: truthOfDatabase(second.database.file) };
    assert.deepEqual(found, truth());
  });
}

test('a copy that takes the place of another one is not read again, and what it changes is told', async (t) => {
  const { folder, site, timeMachine, place, truth } = await makeSite(t, 'disk');
  const copy = {
    ...place,
    ...{ site: 'copy', content: join(folder, 'copy'), staging: join(folder, 'copy-staging') },
    ...{
      database: { kind: 'sqlite' as const, file: join(folder, 'copy.sqlite') },
      state: join(folder, 'copy-state'),
    },
  };
  await sleep(2_100);
  const first = await timeMachine.snapshot(place);
  await timeMachine.copy({ ...place, now: place }, first.newest, copy);
  const before = await timeMachine.snapshot(copy);
  await timeMachine.release(copy.site);
  for (let minute = 0; minute < 3; minute++) site.minute();
  await sleep(2_100);
  const second = await timeMachine.snapshot(place);
  await timeMachine.copy({ ...place, now: place }, second.newest, copy);
  let bytesRead = 0;
  const onProgress = ({ step, bytes }: Progress) => {
    if (step === 'reading' || step === 'verifying') bytesRead += bytes;
  };
  const { newest } = await timeMachine.snapshot(copy, { onProgress });
  assert.equal(bytesRead, 0);
  const changesOf = ({ filesAdded, filesChanged, filesRemoved }: SnapshotReport) => ({
    filesAdded,
    filesChanged,
    filesRemoved,
  });
  assert.deepEqual(changesOf(newest), changesOf(second.newest));
  assert.notEqual(newest.hash, before.newest.hash);
  const found = { files: truthOfFolder(copy.content), tables: truthOfDatabase(copy.database.file) };
  assert.deepEqual(found, truth());
  // What is as it was kept makes no snapshot, whatever it was copied from.
  await timeMachine.release(copy.site);
  await timeMachine.copy({ ...place, now: place }, second.newest, copy);
  const again = await timeMachine.snapshot(copy);
  assert.deepEqual([again.isNew, again.newest.hash], [false, newest.hash]);
  assert.deepEqual((await timeMachine.check()).faults, []);
});

test('its processes stay while they remember a site, and end soon where there is none any more', async (t) => {
  const { store, place, site } = await makeSite(t);
  // Less than this process has run for already, and looked at many times within the first snapshot, in which nothing is idle.
  const timeMachine = new TimeMachine({ store, processes: 1, idleMs: { some: 10_000, none: 100 } });
  t.after(() => timeMachine.close());
  // As long as it takes: a site that is too slow for the others is looked at by a process of its own, which remembers nothing.
  await timeMachine.snapshot({ ...place, limitMs: 120_000 });
  await sleep(1_000);
  assert.equal(helpers().length, 1);
  await timeMachine.release(place.site);
  await eventually(async () => helpers().length === 0);
  site.minute();
  await timeMachine.snapshot(place);
});

test('nobody who lists processes learns the keys of a store', async (t) => {
  const { store, timeMachine, place } = await makeSite(t, 's3');
  const account = store.kind === 's3' && 'accessKeyId' in store.account ? store.account : undefined;
  const secrets = account ? [account.accessKeyId, account.secretAccessKey] : [];
  assert.equal(secrets.length, 2);
  await timeMachine.snapshot(place);
  const [helper] = helpers();
  assert.ok(helper !== undefined, 'the process that remembers the site is there');
  const told = ['cmdline', 'environ'].map((file) => readFileSync(`/proc/${helper}/${file}`, 'latin1')).join();
  assert.deepEqual(
    secrets.filter((secret) => told.includes(secret)),
    [],
  );
});

suite('a failure in another process says by its code what it is', () => {
  test('the snapshot is gone, or is other bytes', async (t) => {
    const { timeMachine, place, store } = await makeSite(t);
    const { newest } = await timeMachine.snapshot(place);
    const gone = everything({ hash: '0'.repeat(64), timeMs: newest.timeMs });
    await assert.rejects(timeMachine.restore(place, gone), { name: 'TimeMachineFailure', code: 'missing_object' });
    const repository = new Repository(openStore(store));
    const [id] = await repository.site(place.space, place.site).snapshots();
    assert.ok(id);
    await repository.store.put(id.key, [Buffer.from('{}')]);
    await assert.rejects(timeMachine.restore(place, everything(newest)), { code: 'corrupt_object' });
  });

  test('the database can not be read, or a restore was not finished', async (t) => {
    const { site, timeMachine, place } = await makeSite(t);
    writeFileSync(site.database, 'no database');
    await assert.rejects(timeMachine.snapshot(place), { code: 'unreadable_database' });
    // A journal means that a restore had decided; the folder of it is made here by hand.
    mkdirSync(place.staging);
    writeFileSync(join(place.staging, 'journal.json'), JSON.stringify({ format: 1, steps: [], tables: null }));
    await assert.rejects(timeMachine.snapshot(place), { code: 'unfinished_restore' });
  });

  test('the site changed while the plan was looked at', async (t) => {
    const { site, timeMachine, place } = await makeSite(t);
    const { newest } = await timeMachine.snapshot(place);
    site.query((db) => db.exec("INSERT INTO wp_posts (title) VALUES ('new')"));
    const onPlanned = async () => site.query((db) => db.exec('DELETE FROM wp_terms'));
    await assert.rejects(timeMachine.restore(place, everything(newest), { onPlanned }), { code: 'outdated_plan' });
  });

  test('it was called off, or its process is gone', async (t) => {
    const { timeMachine, place } = await makeSite(t);
    const { newest } = await timeMachine.snapshot(place);
    await assert.rejects(timeMachine.snapshot(place, { signal: AbortSignal.abort() }), { code: 'aborted' });
    const onPlanned = async () => {
      for (const pid of helpers()) process.kill(pid, 'SIGKILL');
    };
    await assert.rejects(timeMachine.restore(place, everything(newest), { onPlanned }), { code: 'ended' });
    assert.equal(await timeMachine.recover(place), 'undone');
  });

  test('the files are gone, or nothing of ours failed', async (t) => {
    const { site, timeMachine, place } = await makeSite(t);
    await assert.rejects(timeMachine.snapshot({ ...place, content: '/nowhere' }), { code: 'lost_content' });
    await assert.rejects(timeMachine.snapshot({ ...place, staging: site.database }), { code: 'unexpected' });
  });
});

test('a restore that had begun is finished in a linked folder, and is not called undone where the site is gone', async (t) => {
  const { folder, site, timeMachine, place } = await makeSite(t);
  const begin = () => {
    mkdirSync(place.staging);
    writeFileSync(join(place.staging, 'journal.json'), JSON.stringify({ format: 1, steps: [], tables: null }));
  };
  symlinkSync(site.folder, join(folder, 'link'));
  begin();
  assert.equal(await timeMachine.recover({ ...place, content: join(folder, 'link') }), 'finished');
  begin();
  rmSync(site.folder, { recursive: true });
  assert.equal(await timeMachine.recover(place), 'lost');
  assert.equal(await timeMachine.recover(place), 'undone');
});

test('a process that is killed in a snapshot, a check or a prune leaves nothing half, and the next one goes on', async (t) => {
  const { site, timeMachine, place } = await makeSite(t);
  const end = async () => {
    for (const pid of helpers()) process.kill(pid, 'SIGKILL');
    while (helpers().length > 0) await sleep(5);
  };
  // It may have come to its end by then, and is tried once more.
  const killIn = async (work: () => Promise<unknown>) => {
    for (let tries = 0; tries < 20; tries++) {
      await end();
      let isOver = false;
      const outcome = work()
        .then(
          () => undefined,
          (error) => error.code,
        )
        .finally(() => {
          isOver = true;
        });
      while (helpers().length === 0 && !isOver) await sleep(1);
      await end();
      const code = await outcome;
      if (code === 'ended') return;
      assert.equal(code, undefined);
    }
    assert.fail('nothing was killed in time');
  };
  await killIn(() => {
    for (let index = 0; index < 300; index++) writeFileSync(join(site.folder, `file${index}`), randomBytes(20_000));
    return timeMachine.snapshot(place);
  });
  const { newest } = await timeMachine.snapshot(place);
  const works = [
    () => timeMachine.check(),
    () => timeMachine.prune({ windowsMs: {}, pinned: [], damaged: [], nowMs: Date.now() }),
  ];
  for (const work of works) {
    await killIn(work);
    await work();
  }
  assert.deepEqual((await timeMachine.check()).faults, []);
  assert.equal((await timeMachine.snapshot(place)).newest.hash, newest.hash);
});

test('the rules say what is public, what is kept and what is told', async (t) => {
  const { site, timeMachine, place, store } = await makeSite(t);
  const db = new DatabaseSync(site.database);
  db.exec('CREATE TABLE wp_cache (a); CREATE TABLE _inner (a); CREATE TABLE other (a); INSERT INTO _inner VALUES (1)');
  db.close();
  const rules = {
    publicFolders: ['shown'],
    tablePrefix: 'wp_',
    fleetingTables: ['_cache$'],
    hiddenTables: ['^_'],
    neededTables: [],
  };
  mkdirSync(join(site.folder, 'shown'));
  writeFileSync(join(site.folder, 'shown/public.txt'), 'public');
  writeFileSync(join(site.folder, 'shown.txt'), 'private');
  const cut = await timeMachine.snapshot({ ...place, rules });
  assert.deepEqual(cut.trackedTables, ['wp_posts', 'wp_terms']);
  assert.ok(['other', 'wp_cache', 'options'].every((name) => cut.untrackedTables.includes(name)));
  assert.deepEqual(cut.newest.tablesSaved.sort(), ['wp_posts', 'wp_terms']);
  const repository = new Repository(openStore(store));
  const snapshot = await repository.site(place.space, place.site).readNamed(cut.newest);
  assert.deepEqual(Object.keys(snapshot.tables).sort(), ['_inner', 'wp_posts', 'wp_terms']);
  const { shared } = repository;
  await shared.refresh();
  assert.equal(`${await shared.read(hashOf('public'))}`, 'public');
  assert.equal(await shared.read(hashOf('private')), undefined);
});
