import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { suiteStore } from '#testkit/snapshots/gateway-store.ts';
import { scratchFolder } from '#testkit/snapshots/scratch.ts';
import { Archiver } from '../archive/archiver.ts';
import { Repository } from '../repository.ts';
import { check } from './checker.ts';
import { forgetSite, prune } from './pruner.ts';

const HOUR_MS = 3600_000;

test('small packs of many minutes become one, and a forgotten site leaves nothing', async (t) => {
  const folder = scratchFolder(t);
  const site = join(folder, 'site');
  mkdirSync(site);
  const store = suiteStore(folder);
  const repository = new Repository(store);
  const archiver = new Archiver({ repository: repository.site('ada', 'site'), folder: site });
  for (let minute = 0; minute < 30; minute++) {
    writeFileSync(join(site, `file${minute % 7}`), `content of minute ${minute}`);
    await archiver.snapshot();
  }
  await archiver.remember();
  const packs = async () => (await store.names('owners/ada/packs')).length;
  const windowMs = () => 24 * HOUR_MS;
  assert.equal(await packs(), 30);
  const start = Date.now();
  const first = await prune(repository, { windowMs, nowMs: start + 2 * HOUR_MS });
  assert.equal(first.packsWritten, 1);
  assert.equal(await packs(), 31, 'the old ones stay for their grace period');
  await prune(repository, { windowMs, nowMs: start + 2.5 * HOUR_MS });
  assert.equal(await packs(), 31);
  await prune(repository, { windowMs, nowMs: start + 4 * HOUR_MS });
  assert.equal(await packs(), 1);
  const report = await check(new Repository(store));
  assert.deepEqual(report.faults, []);
  assert.equal(report.snapshots, 30);

  await forgetSite(repository.site('ada', 'site'));
  for (const hours of [6, 8]) await prune(repository, { windowMs, nowMs: start + hours * HOUR_MS });
  assert.deepEqual(await store.list('owners'), []);
});

test('a pinned snapshot stays whatever retention says', async (t) => {
  const folder = scratchFolder(t);
  mkdirSync(join(folder, 'site'));
  const repository = new Repository(suiteStore(folder));
  const site = repository.site('ada', 'site');
  let nowMs = Date.parse('2026-11-01T10:00:00Z');
  const archiver = new Archiver({ repository: site, folder: join(folder, 'site'), now: () => nowMs });
  for (let minute = 0; minute < 5; minute++) {
    writeFileSync(join(folder, 'site/file'), `${minute}`);
    await archiver.snapshot();
    nowMs += 60_000;
  }
  const ids = await site.snapshots();
  const isPinned = (_: unknown, { hash }: { hash: string }) => hash === ids[1]?.hash;
  await prune(repository, { windowMs: () => HOUR_MS, nowMs: nowMs + 24 * HOUR_MS, isPinned });
  assert.deepEqual(
    (await site.snapshots()).map(({ hash }) => hash),
    [ids[1]?.hash, ids[4]?.hash],
  );
});
