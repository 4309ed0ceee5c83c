import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { FULL, Random, SEED } from '#testkit/random.ts';
import { FAULTS, FaultyOperations } from '#testkit/snapshots/faulty-operations.ts';
import { suiteStore } from '#testkit/snapshots/gateway-store.ts';
import { Place } from '#testkit/snapshots/merging-place.ts';
import { scratchFolder } from '#testkit/snapshots/scratch.ts';
import { type Decider, mergeTrees } from '#testkit/snapshots/three-way-model.ts';
import { Archiver } from './archive/archiver.ts';
import { check } from './maintenance/checker.ts';
import { Repository } from './repository.ts';
import { recover } from './restore/recover.ts';
import { planRestore, restore } from './restore/restorer.ts';
import { SqliteSource } from './sources/sqlite.ts';

const ROUNDS = FULL ? 120 : 8;

/** A base, and two who went on from it, all of them kept. */
async function diverge(t: TestContext, seed: number) {
  const folder = scratchFolder(t);
  const random = new Random(seed);
  const ours = Place.make(join(folder, 'ours'), random);
  const repository = new Repository(suiteStore(folder));
  const archiver = new Archiver({ repository: repository.site('ada', 'live'), folder: ours.folder });
  const base = { snapshot: (await archiver.snapshot()).snapshot, truth: ours.truth() };
  const theirs = ours.copyTo(join(folder, 'theirs'), new Random(seed + 1));
  // Now and then both do the very same for a while.
  if (random.below(2) === 0)
    for (const { folder: site } of [ours, theirs]) new Place(join(site, '..'), new Random(seed + 2)).live(3);
  ours.live(2 + random.below(8));
  theirs.live(2 + random.below(8));
  const other = new Archiver({ repository: repository.site('ada', 'stage'), folder: theirs.folder });
  const [now, then] = [await archiver.snapshot(), await other.snapshot()];
  return { repository, random, staging: join(folder, 'staging'), base, ours, theirs, now, then };
}

test(`what only one side changed is there, and what both did is decided, in ${ROUNDS} histories (seed ${SEED})`, async (t) => {
  let conflicts = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const { repository, random, staging, base, ours, theirs, now, then } = await diverge(t, SEED + 1000 * round);
    const site = repository.site('ada', 'live');
    const decide: Decider = (name) =>
      Number.parseInt(hash('sha256', name).slice(0, 2), 16) % 3 === 0 ? 'theirs' : 'ours';
    const expectedConflicts: string[] = [];
    const noted: Decider = (name) => {
      expectedConflicts.push(name);
      return decide(name);
    };
    const before = ours.truth();
    const expected = mergeTrees('', base.truth, before, theirs.truth(), noted);
    const plan = await planRestore(site, now.snapshot, then.snapshot, {
      base: base.snapshot,
      deleteExtraFiles: true,
      decide: ({ path }) => decide(`file ${path}`),
    });
    const told = plan.files?.conflicts ?? [];
    assert.deepEqual(told.map(({ path }) => `file ${path}`).sort(), expectedConflicts.sort(), `round ${round}`);
    for (const { path, taken } of told) assert.equal(taken, decide(`file ${path}`));
    conflicts += told.length;

    const faulty = new FaultyOperations();
    const targets = { repository: site, folder: ours.folder, staging, operations: faulty.operations };
    faulty.arm(random.below(60), random.pick(FAULTS));
    const isDone = await restore(plan, targets).then(
      () => true,
      () => false,
    );
    faulty.revive();
    if (!isDone) await recover(targets);
    // What ended before the journal has changed nothing, and the plan still holds.
    if (isDeepStrictEqual(ours.truth(), before)) await restore(plan, targets);
    assert.deepEqual(ours.truth(), expected, `round ${round}`);
    assert.deepEqual((await check(repository)).faults, []);
  }
  assert.ok(conflicts > 0, 'conflicts are tried');
});

test('without a base the point counts in everything, and nothing is in conflict', async (t) => {
  const { repository, staging, ours, theirs, now, then } = await diverge(t, SEED);
  const site = repository.site('ada', 'live');
  const plan = await planRestore(site, now.snapshot, then.snapshot, {
    deleteExtraFiles: true,
    decide: () => assert.fail('there is nothing to decide'),
  });
  assert.deepEqual(plan.files?.conflicts, []);
  await restore(plan, { repository: site, folder: ours.folder, staging });
  assert.deepEqual(ours.truth(), theirs.truth());
});

test('where nobody decides, ours stays', async (t) => {
  let count = 0;
  for (let seed = SEED; count === 0; seed += 1000) {
    const { repository, base, now, then } = await diverge(t, seed);
    const live = repository.site('ada', 'live');
    const { files } = await planRestore(live, now.snapshot, then.snapshot, { base: base.snapshot });
    const conflicts = files?.conflicts ?? [];
    assert.ok(conflicts.every(({ taken }) => taken === 'ours'));
    const changed = new Set(files?.changes.map(({ path }) => path));
    for (const { path } of conflicts) assert.equal(changed.has(path), false);
    count += conflicts.length;
  }
});

test('a table that was changed and changed back was not changed, however it is stored by now', async (t) => {
  const folder = scratchFolder(t);
  const db = new DatabaseSync(join(folder, 'site.sqlite'));
  db.exec('CREATE TABLE texts (id INTEGER PRIMARY KEY, text); CREATE TABLE other (a)');
  const insert = db.prepare('INSERT INTO texts (text) VALUES (?)');
  for (let id = 0; id < 100; id++) insert.run('short');
  const repository = new Repository(suiteStore(folder)).site('ada', 'live');
  const archiver = new Archiver({ repository, tables: new SqliteSource(join(folder, 'site.sqlite')) });
  const { snapshot: base } = await archiver.snapshot();
  db.prepare('UPDATE texts SET text = ?').run('long '.repeat(200));
  await archiver.snapshot();
  db.exec("UPDATE texts SET text = 'short'");
  const { snapshot: back } = await archiver.snapshot();
  assert.notEqual(back.tables.texts, base.tables.texts);
  const { tables } = await planRestore(repository, back, base);
  assert.deepEqual([tables?.changed, tables?.dropped], [[], []]);
});

test('a table is planned for whatever its name', async (t) => {
  const folder = scratchFolder(t);
  const db = new DatabaseSync(join(folder, 'site.sqlite'));
  db.exec('CREATE TABLE __proto__ (a); CREATE TABLE constructor (a)');
  const repository = new Repository(suiteStore(folder)).site('ada', 'live');
  const archiver = new Archiver({ repository, tables: new SqliteSource(join(folder, 'site.sqlite')) });
  const { id } = await archiver.snapshot();
  db.exec('DROP TABLE __proto__; DROP TABLE constructor; CREATE TABLE other (a)');
  const { snapshot: now } = await archiver.snapshot();
  const { tables } = await planRestore(repository, now, await repository.readSnapshot(id));
  const names = ['__proto__', 'constructor'];
  assert.deepEqual(tables?.changed.map(({ table }) => table.name).sort(), names);
  assert.deepEqual(Object.keys(tables?.wanted ?? {}).sort(), names);
});
