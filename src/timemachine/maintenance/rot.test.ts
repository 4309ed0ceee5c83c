import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { MemoryS3 } from '#testkit/servers/memory-s3.ts';
import { scratchFolder } from '#testkit/snapshots/scratch.ts';
import { Archiver } from '../archive/archiver.ts';
import { failedBy, packFailure, reviveFailure } from '../failure.ts';
import { Repository } from '../repository.ts';
import { restoreInto } from '../restore/restore-into.ts';
import type { SnapshotId } from '../snapshot.ts';
import { DiskStore } from '../stores/disk.ts';
import { openStore } from '../stores/open-store.ts';
import { readTree } from '../tree.ts';
import { type CheckPlace, type CheckReport, check } from './checker.ts';
import { prune } from './pruner.ts';

const HOUR_MS = 3600_000;

/** Two teams with a site each, whose packs can be damaged; every look at the store is a new process' own. */
function world(t: TestContext) {
  const folder = scratchFolder(t);
  const store = join(folder, 'store');
  const storeFailing = (isFailing: (key: string) => boolean) => new FailingStore(store, isFailing);
  const open = () => new Repository(new DiskStore(store));
  const siteOf = (owner: string) => join(folder, owner);
  const packs = (owner: string) => readdirSync(join(store, 'owners', owner, 'packs'));
  const archiver = (owner: string) =>
    new Archiver({
      repository: open().site(owner, 'site'),
      folder: siteOf(owner),
      stateFile: join(folder, `${owner}-state`),
    });
  let copies = 0;
  for (const owner of ['ada', 'bob']) mkdirSync(siteOf(owner));
  return {
    open,
    siteOf,
    storeFailing,
    /** Always with the same time, so that the same content makes the same folder. */
    write(owner: string, name: string, text: string) {
      writeFileSync(join(siteOf(owner), name), text);
      utimesSync(join(siteOf(owner), name), 1e9, 1e9);
    },
    remove: (owner: string, name: string) => rmSync(join(siteOf(owner), name)),
    archiver,
    /** With the memory of the process before. */
    async keep(owner: string): Promise<SnapshotId> {
      const process = archiver(owner);
      const { id } = await process.snapshot();
      await process.remember();
      return id;
    },
    async restored(owner: string, id: SnapshotId): Promise<Record<string, string>> {
      const site = open().site(owner, 'site');
      const into = join(folder, `copy${copies++}`);
      await restoreInto(site, await site.readSnapshot(id), { folder: into });
      return Object.fromEntries(readdirSync(into).map((name) => [name, readFileSync(join(into, name), 'utf8')]));
    },
    packs,
    /** Turns a byte of the place where these bytes are. */
    rot(owner: string, text: string) {
      for (const pack of packs(owner)) {
        const path = join(store, 'owners', owner, 'packs', pack);
        const bytes = readFileSync(path);
        const at = bytes.indexOf(text);
        if (at < 0) continue;
        bytes[at] = (bytes[at] as number) ^ 1;
        writeFileSync(path, bytes);
      }
    },
    path: (key: string) => join(store, key),
  };
}

/** A disk on which some things can neither be written nor listed. */
class FailingStore extends DiskStore {
  readonly #isFailing: (key: string) => boolean;

  constructor(folder: string, isFailing: (key: string) => boolean) {
    super(folder);
    this.#isFailing = isFailing;
  }

  override put(key: string, parts: readonly Uint8Array[]): Promise<void> {
    return this.#isFailing(key) ? Promise.reject(new Error('no disk')) : super.put(key, parts);
  }

  override names(prefix: string): Promise<string[]> {
    return this.#isFailing(prefix) ? Promise.reject(new Error('no disk')) : super.names(prefix);
  }
}

const isRotten = (error: unknown) => failedBy(error, 'corrupt_object');

test('what is known to be rotten is written anew, and the snapshots that need it are whole again', async (t) => {
  const { write, keep, rot, restored, open, remove } = world(t);
  write('ada', 'a', 'stays for ever');
  write('ada', 'b', 'goes');
  const first = await keep('ada');
  write('ada', 'c', 'new');
  const second = await keep('ada');
  rot('ada', 'stays for ever');
  await assert.rejects(restored('ada', second), isRotten);

  // Nothing has changed at the site, and its state is remembered: it is read all the same, and no new snapshot is needed.
  const same = await keep('ada');
  assert.equal(same.hash, second.hash);
  assert.deepEqual(await restored('ada', second), { a: 'stays for ever', b: 'goes', c: 'new' });
  assert.deepEqual(await restored('ada', first), { a: 'stays for ever', b: 'goes' });
  const { faults, sites } = await check(open());
  assert.equal(faults.length, 1, 'the rotten bytes are still there');
  assert.deepEqual(sites[0]?.damaged, []);

  // The pack with them goes when nothing in it is needed.
  remove('ada', 'b');
  for (const hours of [2, 4, 6]) await prune(open(), { windowMs: () => 1, nowMs: Date.now() + hours * HOUR_MS });
  assert.deepEqual((await check(open())).faults, []);
  assert.deepEqual(await restored('ada', await keep('ada')), { a: 'stays for ever', c: 'new' });
});

const DAMAGE: Record<string, (path: string) => void> = {
  'was removed': (path) => rmSync(path),
  'was cut off': (path) => writeFileSync(path, readFileSync(path).subarray(0, -1)),
  'was emptied': (path) => writeFileSync(path, ''),
  'has another byte': (path) => {
    const bytes = readFileSync(path);
    // The first one after the magic is of an object.
    bytes[8] = (bytes[8] as number) ^ 1;
    writeFileSync(path, bytes);
  },
};

for (const [what, damage] of Object.entries(DAMAGE)) {
  for (const isRunning of [true, false]) {
    const who = isRunning ? 'the process that wrote it' : 'another process';
    test(`the next backup finds that a pack of the one before ${what}, without a check, and stores it again (${who})`, async (t) => {
      const { write, keep, archiver, packs, restored, path } = world(t);
      write('ada', 'a', 'stays for ever');
      const same = archiver('ada');
      const { id } = await same.snapshot();
      await same.remember();
      for (const pack of packs('ada')) damage(path(`owners/ada/packs/${pack}`));
      const next = isRunning ? same : archiver('ada');
      // Nothing has changed at the site, so no new snapshot is needed.
      const again = await next.snapshot();
      assert.ok(again.lostObjects > 0);
      assert.equal(again.id.hash, id.hash);
      assert.deepEqual(await restored('ada', id), { a: 'stays for ever' });
      await next.remember();
      assert.equal((await next.snapshot()).lostObjects, 0);
      write('ada', 'b', 'new');
      assert.deepEqual(await restored('ada', await keep('ada')), { a: 'stays for ever', b: 'new' });
    });
  }
}

test('the next backup of a process finds that a pack is gone from the bucket, without a check', async (t) => {
  const server = await MemoryS3.start(t);
  const folder = scratchFolder(t);
  const site = join(folder, 'site');
  mkdirSync(site);
  writeFileSync(join(site, 'a'), 'stays for ever');
  const queue = { folder: join(folder, 'queue'), cacheBytes: 1e6, queueBytes: 1e9, owner: 'us' };
  const snapshot = async () => {
    const store = openStore({ kind: 's3', account: server.account, queue });
    const repository = new Repository(store).site('ada', 'site');
    const archiver = new Archiver({ repository, folder: site, stateFile: join(folder, 'state') });
    const { lostObjects } = await archiver.snapshot();
    await archiver.remember();
    await store.upload?.();
    store.close?.();
    return lostObjects;
  };
  assert.equal(await snapshot(), 0);
  assert.equal(await snapshot(), 0);
  const packs = () => [...server.objects.keys()].filter((key) => key.includes('/packs/'));
  for (const key of packs()) server.objects.delete(key);
  assert.ok((await snapshot()) > 0);
  assert.equal(packs().length, 1);
  assert.equal(await snapshot(), 0);
});

test('a check tells which snapshots can not be brought back, and marks what is bad for those that come after', async (t) => {
  const { write, keep, packs, restored, open, path } = world(t);
  write('ada', 'a', 'one');
  const lost = await keep('ada');
  const [pack] = packs('ada');
  write('ada', 'a', 'two');
  const torn = await keep('ada');
  write('ada', 'a', 'three');
  const whole = await keep('ada');
  // A pack that is missing whole, and a snapshot that is torn.
  rmSync(path(`owners/ada/packs/${pack}`));
  writeFileSync(path(torn.key), readFileSync(path(torn.key)).subarray(0, 40));
  const { sites } = await check(open());
  assert.deepEqual(
    sites.map(({ space, whole, damaged }) => ({ space, whole, damaged })),
    [{ space: 'ada', whole: [whole.hash], damaged: [lost.hash, torn.hash] }],
  );
  // Content comes back: so does the snapshot that had it.
  write('ada', 'a', 'one');
  await keep('ada');
  assert.deepEqual(await restored('ada', lost), { a: 'one' });
  assert.deepEqual((await check(open())).sites[0]?.damaged, [torn.hash]);
});

test('a newest snapshot that is torn does not stop the ones after it', async (t) => {
  const { write, keep, restored, path } = world(t);
  write('ada', 'a', 'one');
  const torn = await keep('ada');
  writeFileSync(path(torn.key), '');
  const next = await keep('ada');
  assert.notEqual(next.hash, torn.hash);
  assert.deepEqual(await restored('ada', next), { a: 'one' });
});

test('one that is torn while its archiver remembers it is taken anew, and one without a byte stops no check', async (t) => {
  const { write, siteOf, keep, open, path, storeFailing } = world(t);
  write('ada', 'a', 'one');
  const archiver = new Archiver({ repository: open().site('ada', 'site'), folder: siteOf('ada') });
  const { id: torn } = await archiver.snapshot();
  const bob = await keep('bob');
  writeFileSync(path(torn.key), '');
  const next = await archiver.snapshot();
  assert.equal(next.isNew, true);
  const seen = async (repository: Repository) =>
    (await check(repository)).sites.map(({ space, whole, damaged }) => ({ space, whole, damaged }));
  const ofBob = { space: 'bob', whole: [bob.hash], damaged: [] };
  assert.deepEqual(await seen(open()), [{ space: 'ada', whole: [next.id.hash], damaged: [torn.hash] }, ofBob]);

  const isOfAda = (key: string) => key.startsWith('owners/ada/');
  const broken = await check(new Repository(storeFailing(isOfAda)));
  assert.deepEqual([broken.faults, broken.next], [['Pool owners/ada could not be checked: no disk'], null]);
  assert.deepEqual(await seen(new Repository(storeFailing(isOfAda))), [ofBob]);
});

test('what is rotten is read from its other place, also where nobody can write that down', async (t) => {
  const { write, keep, rot, open, storeFailing } = world(t);
  write('ada', 'a', 'in two packs');
  const id = await keep('ada');
  rot('ada', 'in two packs');
  // It is found, and written anew beside the bad one.
  await check(open());
  await keep('ada');
  const marks = open().store;
  for (const { key } of await marks.list('owners/ada/rotten')) await marks.delete(key);
  const site = new Repository(storeFailing((key) => key.includes('/rotten/'))).site('ada', 'site');
  const entry = (await readTree(site, (await site.readSnapshot(id)).files as string))[0];
  assert.equal(`${await site.read(entry?.kind === 'file' ? entry.ref : '')}`, 'in two packs');
});

test('what was stored is told, also by a cut that makes no snapshot, and by one that fails', async (t) => {
  const { write, siteOf, keep, rot, open, storeFailing } = world(t);
  write('ada', 'a', 'stored twice');
  await keep('ada');
  rot('ada', 'stored twice');
  await check(open());
  const folder = siteOf('ada');
  const mending = await new Archiver({ repository: open().site('ada', 'site'), folder }).snapshot();
  assert.deepEqual([mending.isNew, mending.storedBytes > 0], [false, true]);
  write('ada', 'b', 'stored for nothing');
  const repository = new Repository(storeFailing((key) => /snapshots\/.+\//.test(key))).site('ada', 'site');
  await assert.rejects(new Archiver({ repository, folder }).snapshot(), (error) => {
    return packFailure(error).storedBytes > 0 && reviveFailure(packFailure(error)).storedBytes > 0;
  });
});

test('one team has something broken, and only that is not pruned; it is told', async (t) => {
  const { write, keep, rot, open, packs, restored } = world(t);
  for (let minute = 0; minute < 20; minute++) {
    for (const owner of ['ada', 'bob']) {
      write(owner, `file${minute % 3}`, `content of ${owner} in minute ${minute}`);
      await keep(owner);
    }
  }
  rot('ada', 'content of ada in minute 19');
  const reports = [];
  for (const hours of [2, 4])
    reports.push(await prune(open(), { windowMs: () => 1, nowMs: Date.now() + hours * HOUR_MS }));
  assert.ok(packs('bob').length < 5, `${packs('bob').length} packs of bob are left`);
  const troubles = reports.flatMap((report) => report.troubles);
  assert.deepEqual([...new Set(troubles.map(({ space }) => space))], ['ada']);
  const newest = await keep('ada');
  assert.equal(
    (await restored('ada', newest)).file1,
    'content of ada in minute 19',
    'and it is mended from what is there',
  );
});

test('turns go over everything once, wherever they are broken off, and two checks do not disturb each other', async (t) => {
  const { write, keep, rot, open } = world(t);
  for (let minute = 0; minute < 6; minute++) {
    for (const owner of ['ada', 'bob']) {
      write(owner, 'file', `content of ${owner} in minute ${minute}`);
      await keep(owner);
    }
  }
  rot('bob', 'content of bob in minute 3');
  const budget = { bytes: 1, ms: 10_000 };
  const turns = async () => {
    const seen: CheckReport[] = [];
    let place: CheckPlace | null = null;
    do {
      const { next, ...report }: CheckReport & { next: CheckPlace | null } = await check(open(), place, budget);
      assert.ok(report.packs + report.snapshots <= 2, 'a turn is short');
      // Killed before it was written down: the same turn comes again.
      if (seen.length % 3 === 1) await check(open(), place, budget);
      seen.push(report);
      place = next;
    } while (place);
    return seen;
  };
  for (const seen of await Promise.all([turns(), turns()])) {
    assert.equal(
      seen.reduce((sum, { packs }) => sum + packs, 0),
      12,
    );
    assert.equal(
      seen.reduce((sum, { snapshots }) => sum + snapshots, 0),
      12,
    );
    const damaged = seen.flatMap(({ sites }) => sites.flatMap((each) => each.damaged.map(() => each.space)));
    assert.deepEqual(damaged, ['bob']);
  }
});
