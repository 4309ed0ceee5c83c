import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { suiteStore } from '#testkit/snapshots/gateway-store.ts';
import { scratchFolder } from '#testkit/snapshots/scratch.ts';
import { Archiver } from './archive/archiver.ts';
import { hashOf } from './hash.ts';
import { check } from './maintenance/checker.ts';
import { Repository } from './repository.ts';
import { restoreInto } from './restore/restore-into.ts';

function twoSites(t: TestContext) {
  const folder = scratchFolder(t);
  const store = suiteStore(folder);
  const repository = new Repository(store);
  const isPublic = (path: string) => path.startsWith('plugins/');
  const sites = ['ada', 'bob'].map((owner) => {
    const site = join(folder, owner);
    mkdirSync(join(site, 'plugins/shop'), { recursive: true });
    writeFileSync(join(site, 'plugins/shop/shop.php'), 'a plugin that both have '.repeat(2000));
    writeFileSync(join(site, 'secret.txt'), `the secret of ${owner}`);
    writeFileSync(join(site, 'same.txt'), 'private, though both wrote the same '.repeat(2000));
    return new Archiver({ repository: repository.site(owner, 'site'), folder: site, isPublic });
  });
  return { folder, store, repository, ada: sites[0] as Archiver, bob: sites[1] as Archiver };
}

test('a hash opens no private object of another owner', async (t) => {
  const { repository, ada, bob } = twoSites(t);
  await ada.snapshot();
  await bob.snapshot();
  const secret = hashOf('the secret of ada');
  assert.equal(`${await repository.site('ada', 'site').read(secret)}`, 'the secret of ada');
  await assert.rejects(repository.site('bob', 'site').read(secret), { code: 'corrupt_object' });
  await assert.rejects(repository.site('bob', 'other').read(secret), { code: 'corrupt_object' });
});

test('public files of different owners are stored once, private ones for each', async (t) => {
  const { repository, store, ada, bob } = twoSites(t);
  const first = await ada.snapshot();
  const second = await bob.snapshot();
  assert.equal((await store.list('shared/packs')).length, 1);
  assert.ok(second.storedBytes < first.storedBytes);
  const same = hashOf('private, though both wrote the same '.repeat(2000));
  for (const owner of ['ada', 'bob']) assert.ok(repository.pool(owner).locate(same));
  assert.equal(repository.shared.locate(same), undefined);
  assert.deepEqual((await check(new Repository(store))).faults, []);
});

test('snapshots have times of their own, in the order in which they were taken, though the clock is set back', async (t) => {
  const folder = scratchFolder(t);
  const site = join(folder, 'site');
  mkdirSync(site);
  const repository = new Repository(suiteStore(folder)).site('ada', 'site');
  const startMs = Date.parse('2026-11-14T12:00:00Z');
  const hashes: string[] = [];
  for (const [number, clockMs] of [startMs, startMs - 3_600_000, startMs - 3_600_000, startMs + 60_000].entries()) {
    writeFileSync(join(site, 'file'), `${number}`);
    // As after a restart.
    hashes.push((await new Archiver({ repository, folder: site, now: () => clockMs }).snapshot()).id.hash);
  }
  const found = await repository.snapshots();
  assert.deepEqual(
    found.map(({ hash }) => hash),
    hashes,
  );
  assert.deepEqual(
    found.map(({ timeMs }) => timeMs - startMs),
    [0, 1, 2, 60_000],
  );
});

test('a snapshot is found by any instant from its own until the next one', async (t) => {
  const folder = scratchFolder(t);
  const site = join(folder, 'site');
  mkdirSync(site);
  const repository = new Repository(suiteStore(folder)).site('ada', 'site');
  let nowMs = Date.parse('2026-11-14T23:58:30.500Z');
  const archiver = new Archiver({ repository, folder: site, now: () => nowMs });
  const times: number[] = [];
  for (let minute = 0; minute < 4; minute++) {
    writeFileSync(join(site, 'file'), `${minute}`);
    times.push((await archiver.snapshot()).id.timeMs);
    nowMs += 60_000;
  }
  const [first = 0, second = 0, third = 0] = times;
  assert.equal(await repository.snapshotAt(first - 1), undefined);
  assert.equal((await repository.snapshotAt(first))?.timeMs, first);
  assert.equal((await repository.snapshotAt(second - 1))?.timeMs, first);
  assert.equal((await repository.snapshotAt(third + 59_999))?.timeMs, third);
  assert.equal((await repository.snapshotAt())?.timeMs, times[3]);
  assert.deepEqual(
    (await repository.snapshots()).map(({ timeMs }) => timeMs),
    times,
  );
});

test('a restore finds objects that a prune has moved to another pack meanwhile', async (t) => {
  const { folder, store, repository, ada } = twoSites(t);
  const { snapshot } = await ada.snapshot();
  const site = repository.site('ada', 'site');
  const other = new Repository(store);
  const pool = other.pool('ada');
  await pool.refresh();
  // What a prune does in two steps, an hour apart.
  const writer = pool.writer();
  for (const [id, frames] of [...pool.packs()]) {
    for (const frame of frames) writer.addStored(frame, await pool.readFrames(id, frame.offset, frame.storedBytes));
  }
  const old = [...pool.packs().keys()];
  await writer.flush();
  for (const id of old) await suiteStore(folder).delete(pool.packKey(id));
  store.close?.();
  await restoreInto(site, snapshot, { folder: join(folder, 'copy') });
  assert.deepEqual((await check(new Repository(store))).faults, []);
});
