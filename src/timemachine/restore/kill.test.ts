import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Random, SEED } from '#testkit/random.ts';
import { RandomSite } from '#testkit/snapshots/random-site.ts';
import { scratchFolder } from '#testkit/snapshots/scratch.ts';
import { truthOfDatabase, truthOfFolder } from '#testkit/snapshots/truth.ts';
import { Archiver } from '../archive/archiver.ts';
import { check } from '../maintenance/checker.ts';
import { Repository } from '../repository.ts';
import { SqliteSource } from '../sources/sqlite.ts';
import { SqliteTarget } from '../sources/sqlite-target.ts';
import { DiskStore } from '../stores/disk.ts';
import { recover } from './recover.ts';

/** `KILLS=100` for the long form. */
const KILLS = Number(process.env.KILLS ?? 8);
const PROGRAM = join(import.meta.dirname, '../../../testkit/snapshots/restore-process.ts');

test(`${KILLS} real kills in the middle of a restore leave, once recovered, all of the old state or all of the new one`, async (t) => {
  const folder = scratchFolder(t);
  const random = new Random(SEED);
  const site = new RandomSite(join(folder, 'site'), join(folder, 'site.sqlite'), random);
  const truth = () => ({ files: truthOfFolder(site.folder), tables: truthOfDatabase(site.database) });
  const points: { hash: string; truth: ReturnType<typeof truth> }[] = [];
  const store = new DiskStore(join(folder, 'store'));
  const repository = new Repository(store).site('ada', 'site');
  const source = new SqliteSource(site.database);
  const target = new SqliteTarget(site.database);
  const archiver = new Archiver({ repository, folder: site.folder, tables: source });
  for (let minute = 0; minute < 6; minute++) {
    for (let more = 0; more < 5; more++) site.minute();
    const expected = truth();
    points.push({ hash: (await archiver.snapshot()).id.hash, truth: expected });
  }
  await archiver.remember();

  for (let kill = 0; kill < KILLS; kill++) {
    const before = truth();
    const point = random.pick(points);
    const args = ['--disable-warning=ExperimentalWarning', PROGRAM, folder, point.hash];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    // Listened for from the start: a small restore may be over before the kill.
    const exited = once(child, 'exit');
    await once(child.stdout, 'data');
    await sleep(random.below(60));
    child.kill('SIGKILL');
    await exited;
    await recover({ repository, folder: site.folder, staging: join(folder, 'staging'), tables: { source, target } });
    const after = truth();
    const isOld = JSON.stringify(after) === JSON.stringify(before);
    if (!isOld) assert.deepEqual(after, point.truth, `kill ${kill}`);
    site.minute();
  }
  assert.deepEqual((await check(new Repository(store))).faults, []);
});
