import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { FULL, Random, SEED } from '../../test/random.ts';
import { FAULTS, FaultyOperations } from '../../test/timemachine/faulty-operations.ts';
import { Place } from '../../test/timemachine/merging-place.ts';
import { scratchFolder } from '../../test/timemachine/scratch.ts';
import { type Decider, mergeTables, mergeTrees } from '../../test/timemachine/three-way-model.ts';
import { Archiver } from './archive/archiver.ts';
import { check } from './maintenance/checker.ts';
import { Repository } from './repository.ts';
import { recover } from './restore/recover.ts';
import { planRestore, restore } from './restore/restorer.ts';
import { SqliteSource } from './sources/sqlite.ts';
import { mergeSchema } from './sources/sqlite-schema.ts';
import { SqliteTarget } from './sources/sqlite-target.ts';
import { DiskStore } from './stores/disk.ts';
import type { TableTarget } from './tables/table-target.ts';
import type { Conflict } from './three-way.ts';

const ROUNDS = FULL ? 120 : 8;

const nameOf = (conflict: Omit<Conflict, 'taken'>): string => {
  const named = conflict as Conflict;
  if (named.kind === 'file') return `file ${named.path}`;
  if (named.kind === 'table') return `table ${named.name} ${named.reason}`;
  return `row ${named.table} ${named.key.map((value) => (typeof value === 'string' ? `'${value}'` : `${value}`)).join()}`;
};

/** A base, and two who went on from it, all of them kept. */
async function diverge(t: TestContext, seed: number) {
  const folder = scratchFolder(t);
  const random = new Random(seed);
  const ours = Place.make(join(folder, 'ours'), random);
  const repository = new Repository(new DiskStore(join(folder, 'store')));
  const source = new SqliteSource(ours.database);
  const archiver = new Archiver({ repository: repository.site('ada', 'live'), folder: ours.folder, tables: source });
  const base = { snapshot: (await archiver.snapshot()).snapshot, truth: ours.truth() };
  const theirs = ours.copyTo(join(folder, 'theirs'), new Random(seed + 1));
  // Now and then both do the very same for a while.
  if (random.below(2) === 0) {
    for (const place of [ours, theirs]) {
      const { folder: site } = place;
      const twin = new Place(join(site, '..'), new Random(seed + 2));
      twin.live(3);
    }
  }
  ours.live(2 + random.below(8));
  theirs.live(2 + random.below(8));
  const other = new Archiver({
    repository: repository.site('ada', 'stage'),
    folder: theirs.folder,
    tables: new SqliteSource(theirs.database),
  });
  const [now, then] = [await archiver.snapshot(), await other.snapshot()];
  const staging = join(folder, 'staging');
  return { repository, random, source, staging, base, ours, theirs, now, then };
}

test(`what only one side changed is there, and what both did is decided, in ${ROUNDS} histories (seed ${SEED})`, async (t) => {
  const seen = { file: 0, table: 0, row: 0 };
  for (let round = 0; round < ROUNDS; round++) {
    const { repository, random, source, staging, base, ours, theirs, now, then } = await diverge(
      t,
      SEED + 1000 * round,
    );
    const site = repository.site('ada', 'live');
    const decide: Decider = (name) =>
      Number.parseInt(hash('sha256', name).slice(0, 2), 16) % 3 === 0 ? 'theirs' : 'ours';
    const expectedConflicts: string[] = [];
    const noted: Decider = (name) => {
      expectedConflicts.push(name);
      return decide(name);
    };
    const [before, other] = [ours.truth(), theirs.truth()];
    const expected = {
      files: mergeTrees('', base.truth.files, before.files, other.files, noted),
      tables: mergeTables(base.truth.tables, before.tables, other.tables, noted),
    };
    const plan = await planRestore(site, now.snapshot, then.snapshot, {
      base: base.snapshot,
      deleteExtraFiles: true,
      decide: (conflict) => decide(nameOf(conflict)),
      mergeSchema,
    });
    assert.deepEqual(plan.conflicts.map(nameOf).sort(), expectedConflicts.sort(), `round ${round}`);
    for (const conflict of plan.conflicts) {
      seen[conflict.kind]++;
      assert.equal(conflict.taken, decide(nameOf(conflict)));
    }

    const faulty = new FaultyOperations();
    const target = new SqliteTarget(ours.database);
    const tables = { source, target, version: now.tablesVersion };
    const targets = { repository: site, folder: ours.folder, staging, tables, operations: faulty.operations };
    faulty.arm(random.below(60), random.pick(FAULTS));
    const isDone = await restore(plan, targets).then(
      () => true,
      () => false,
    );
    faulty.revive();
    if (!isDone) await recover(targets);
    // What ended before the journal has changed nothing, and the plan still holds.
    if (isDeepStrictEqual(sorted(ours.truth()), sorted(before))) await restore(plan, targets);
    assert.deepEqual(sorted(ours.truth()), sorted(expected), `round ${round}`);
    await target.close();
    await source.close();
    assert.deepEqual((await check(repository)).faults, []);
  }
  assert.ok(Math.min(...Object.values(seen)) > 0, `each kind of conflict is tried: ${JSON.stringify(seen)}`);
});

for (const instant of ['before its tables are changed', 'after its tables are changed']) {
  test(`a merge whose process is killed once it is decided, ${instant}, is finished`, async (t) => {
    const { repository, source, staging, base, ours, theirs, now, then } = await diverge(t, SEED);
    const site = repository.site('ada', 'live');
    const decide: Decider = () => 'theirs';
    const [before, other] = [ours.truth(), theirs.truth()];
    const expected = {
      files: mergeTrees('', base.truth.files, before.files, other.files, decide),
      tables: mergeTables(base.truth.tables, before.tables, other.tables, decide),
    };
    const options = { base: base.snapshot, deleteExtraFiles: true, decide: () => 'theirs' as const, mergeSchema };
    const plan = await planRestore(site, now.snapshot, then.snapshot, options);
    assert.ok(plan.tables?.changed.some(({ how }) => how === 'merge'));

    const target = new SqliteTarget(ours.database);
    const faulty = new FaultyOperations();
    const dying: TableTarget = {
      stage: (...args) => target.stage(...args),
      discardStaged: () => target.discardStaged(),
      close: () => target.close(),
      async transaction(work) {
        const isBefore = instant.startsWith('before');
        if (!isBefore) await target.transaction(work);
        faulty.arm(0, 'kill');
        await faulty.operations.remove(join(staging, 'nothing')).catch(() => {});
        throw new Error('The process is gone');
      },
    };
    const targets = { repository: site, folder: ours.folder, staging, operations: faulty.operations };
    const version = now.tablesVersion;
    await assert.rejects(restore(plan, { ...targets, tables: { source, target: dying, version } }), /process is gone/);
    faulty.revive();
    assert.equal(await recover({ ...targets, tables: { source, target } }), 'finished');
    assert.deepEqual(sorted(ours.truth()), sorted(expected));
    await target.close();
  });
}

test('without a base the point counts in everything, and nothing is in conflict', async (t) => {
  const { repository, source, staging, ours, theirs, now, then } = await diverge(t, SEED);
  const site = repository.site('ada', 'live');
  const plan = await planRestore(site, now.snapshot, then.snapshot, {
    deleteExtraFiles: true,
    decide: () => assert.fail('there is nothing to decide'),
  });
  assert.deepEqual(plan.conflicts, []);
  const target = new SqliteTarget(ours.database);
  await restore(plan, {
    repository: site,
    folder: ours.folder,
    staging,
    tables: { source, target, version: now.tablesVersion },
  });
  await target.close();
  assert.deepEqual(sorted(ours.truth()), sorted(theirs.truth()));
});

test('where nobody decides, ours stays', async (t) => {
  const { repository, base, ours, theirs, now, then } = await diverge(t, SEED);
  const plan = await planRestore(repository.site('ada', 'live'), now.snapshot, then.snapshot, { base: base.snapshot });
  assert.ok(plan.conflicts.length > 0);
  assert.ok(plan.conflicts.every(({ taken }) => taken === 'ours'));
  const changed = new Set(plan.files?.changes.map(({ path }) => path));
  for (const conflict of plan.conflicts) if (conflict.kind === 'file') assert.equal(changed.has(conflict.path), false);
  assert.notDeepEqual(ours.truth(), theirs.truth());
});

test('a table that was changed and changed back was not changed, however it is stored by now', async (t) => {
  const folder = scratchFolder(t);
  const db = new DatabaseSync(join(folder, 'site.sqlite'));
  db.exec('CREATE TABLE texts (id INTEGER PRIMARY KEY, text); CREATE TABLE other (a)');
  const insert = db.prepare('INSERT INTO texts (text) VALUES (?)');
  for (let id = 0; id < 100; id++) insert.run('short');
  const repository = new Repository(new DiskStore(join(folder, 'store'))).site('ada', 'live');
  const archiver = new Archiver({ repository, tables: new SqliteSource(join(folder, 'site.sqlite')) });
  const { snapshot: base } = await archiver.snapshot();
  db.prepare('UPDATE texts SET text = ?').run('long '.repeat(200));
  await archiver.snapshot();
  db.exec("UPDATE texts SET text = 'short'");
  const { snapshot: back } = await archiver.snapshot();
  assert.notEqual(back.tables.texts, base.tables.texts);
  db.exec('DROP TABLE texts');
  const { snapshot: dropped } = await archiver.snapshot();
  const ours = await planRestore(repository, dropped, back, { base });
  assert.deepEqual([ours.conflicts, ours.tables?.changed, ours.tables?.dropped], [[], [], []]);
  const theirs = await planRestore(repository, back, dropped, { base });
  assert.deepEqual([theirs.conflicts, theirs.tables?.changed, theirs.tables?.dropped], [[], [], ['texts']]);
});

test('a table is planned for whatever its name', async (t) => {
  const folder = scratchFolder(t);
  const db = new DatabaseSync(join(folder, 'site.sqlite'));
  db.exec('CREATE TABLE __proto__ (a); CREATE TABLE constructor (a)');
  const repository = new Repository(new DiskStore(join(folder, 'store'))).site('ada', 'live');
  const archiver = new Archiver({ repository, tables: new SqliteSource(join(folder, 'site.sqlite')) });
  const { id } = await archiver.snapshot();
  db.exec('DROP TABLE __proto__; DROP TABLE constructor; CREATE TABLE other (a)');
  const { snapshot: now } = await archiver.snapshot();
  const { tables } = await planRestore(repository, now, await repository.readSnapshot(id));
  const names = ['__proto__', 'constructor'];
  assert.deepEqual(tables?.changed.map(({ table }) => table.name).sort(), names);
  assert.deepEqual(Object.keys(tables?.wanted ?? {}).sort(), names);
});

/** The same whatever the order of names. */
function sorted(value: unknown): unknown {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, below]) => [name, sorted(below)]),
  );
}
