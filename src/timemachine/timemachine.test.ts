import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { FULL, Random, SEED } from '#testkit/random.ts';
import { suiteStore } from '#testkit/snapshots/gateway-store.ts';
import { RandomSite } from '#testkit/snapshots/random-site.ts';
import { scratchFolder } from '#testkit/snapshots/scratch.ts';
import { truthOfDatabase, truthOfFolder } from '#testkit/snapshots/truth.ts';
import { Archiver } from './archive/archiver.ts';
import { check } from './maintenance/checker.ts';
import { Repository } from './repository.ts';
import { restoreInto } from './restore/restore-into.ts';
import { planRestore, restore } from './restore/restorer.ts';
import { SqliteSource } from './sources/sqlite.ts';
import { SqliteTarget } from './sources/sqlite-target.ts';

const MINUTES = FULL ? 400 : 40;
const INSTANTS = FULL ? 200 : 12;

test(`any minute of ${MINUTES} comes back byte by byte and row by row, and undo brings back the state before (seed ${SEED})`, async (t) => {
  const random = new Random(SEED);
  const folder = scratchFolder(t);
  const site = new RandomSite(join(folder, 'site'), join(folder, 'site.sqlite'), random);
  const store = suiteStore(folder);
  const repository = new Repository(store).site('owner', 'site');
  const source = new SqliteSource(site.database);
  const target = new SqliteTarget(site.database);
  const clock = { ms: Date.parse('2026-11-15T00:00:00Z') };
  const options = { repository, folder: site.folder, tables: source, now: () => clock.ms };
  let archiver = new Archiver({ ...options, isPublic: (path) => path.startsWith('plugins/') });
  const truth = () => ({ files: truthOfFolder(site.folder), tables: truthOfDatabase(site.database) });

  const past: { timeMs: number; truth: ReturnType<typeof truth> }[] = [];
  for (let minute = 0; minute < MINUTES; minute++) {
    if (minute > 0) site.minute();
    const expected = truth();
    const { isNew, snapshot } = await archiver.snapshot();
    assert.equal(snapshot.isConsistent, true);
    assert.deepEqual(snapshot.filesSkipped, []);
    const before = past.at(-1)?.truth;
    if (!isNew) assert.deepEqual(expected, before, 'a snapshot that is not new stands for a state that is not new');
    past.push({ timeMs: clock.ms, truth: expected });
    clock.ms += 60_000;
    // At times the service starts anew and remembers nothing.
    if (random.below(10) === 0) {
      await archiver.remember();
      archiver = new Archiver({ ...options, isPublic: (path) => path.startsWith('plugins/') });
    }
  }

  const restoreTo = async (timeMs: number) => {
    const now = await archiver.snapshot();
    clock.ms += 60_000;
    const id = await repository.snapshotAt(timeMs);
    assert.ok(id);
    const plan = await planRestore(repository, now.snapshot, await repository.readSnapshot(id), {
      deleteExtraFiles: true,
    });
    const tables = { target, source, version: now.tablesVersion };
    await restore(plan, { repository, folder: site.folder, staging: join(folder, 'staging'), tables });
    return { plan, undoPoint: now.id.timeMs };
  };
  for (let instant = 0; instant < INSTANTS; instant++) {
    const { timeMs, truth: expected } = random.pick(past);
    if (random.below(2) === 0) site.minute();
    const before = truth();
    const { undoPoint } = await restoreTo(timeMs + random.below(59_999));
    assert.deepEqual(truth(), expected, `minute ${timeMs}`);
    if (random.below(3) === 0) {
      await restoreTo(undoPoint);
      assert.deepEqual(truth(), before, 'undo');
    }
    if (random.below(4) === 0) {
      const id = await repository.snapshotAt(timeMs);
      assert.ok(id);
      const copy = join(folder, `copy${instant}`);
      mkdirSync(copy);
      const copyTarget = new SqliteTarget(join(copy, 'db'));
      await restoreInto(repository, await repository.readSnapshot(id), {
        folder: join(copy, 'site'),
        tables: copyTarget,
      });
      await copyTarget.close();
      assert.deepEqual(truthOfFolder(join(copy, 'site')), expected.files);
      assert.deepEqual(truthOfDatabase(join(copy, 'db')), expected.tables);
    }
  }
  await archiver.remember();
  const report = await check(new Repository(store));
  assert.deepEqual(report.faults, []);
});
