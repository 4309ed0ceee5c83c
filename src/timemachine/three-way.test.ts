import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { hash } from 'node:crypto';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { FULL, Random, SEED } from '../../test/random.ts';
import { FAULTS, FaultyOperations } from '../../test/timemachine/faulty-operations.ts';
import { RandomSite } from '../../test/timemachine/random-site.ts';
import { scratchFolder } from '../../test/timemachine/scratch.ts';
import {
  type Decider,
  mergeTables,
  mergeTrees,
  readTablesOf,
  readTreeOf,
} from '../../test/timemachine/three-way-model.ts';
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

/** A folder and a database. Two rows of the tables in it are one another's business only where they have the same key. */
class Place {
  readonly folder: string;
  readonly database: string;
  readonly #random: Random;
  readonly #files: RandomSite;

  constructor(path: string, random: Random) {
    this.folder = join(path, 'site');
    this.database = join(path, 'tables.sqlite');
    this.#random = random;
    this.#files = new RandomSite(this.folder, join(path, 'unused.sqlite'), random);
  }

  static make(path: string, random: Random): Place {
    execFileSync('mkdir', ['-p', path]);
    const place = new Place(path, random);
    place.#query((db) => {
      db.exec(`
        CREATE TABLE posts (id INTEGER PRIMARY KEY AUTOINCREMENT, title, body);
        CREATE TABLE named (name TEXT PRIMARY KEY, value) WITHOUT ROWID;
        CREATE TABLE loose (a, b); CREATE TABLE keyless (rowid, oid, _rowid_, a);
        CREATE TABLE extra0 (id INTEGER PRIMARY KEY, a)`);
      for (let count = 0; count < 300; count++) place.#changeRow(db);
    });
    return place;
  }

  copyTo(path: string, random: Random): Place {
    execFileSync('cp', ['-a', join(this.folder, '..'), path]);
    return new Place(path, random);
  }

  live(minutes: number): void {
    for (let count = 2 * minutes; count > 0; count--) this.#files.editFile();
    this.#query((db) => {
      for (let count = 4 * minutes; count > 0; count--) this.#changeRow(db);
      if (this.#random.below(3) === 0) this.#changeSchema(db);
    });
  }

  truth() {
    return { files: readTreeOf(this.folder), tables: readTablesOf(this.database) };
  }

  #query(work: (db: DatabaseSync) => void): void {
    const db = new DatabaseSync(this.database);
    try {
      db.exec('BEGIN');
      work(db);
      db.exec('COMMIT');
    } finally {
      db.close();
    }
  }

  #changeRow(db: DatabaseSync): void {
    const random = this.#random;
    const id = random.below(120);
    const value = random.text(random.below(300));
    switch (random.below(9)) {
      case 0:
        return void db.prepare('DELETE FROM posts WHERE id = ?').run(id);
      case 1:
        return void db.prepare('UPDATE posts SET title = ? WHERE id = ?').run(random.below(4), id);
      case 2:
        return void db.prepare('REPLACE INTO named VALUES (?, ?)').run(`name${id % 40}`, random.below(3));
      case 3:
        return void db.prepare('DELETE FROM named WHERE name = ?').run(`name${id % 40}`);
      case 4:
        return void db.prepare('INSERT INTO loose (a, b) VALUES (?, ?)').run(id, value);
      case 5:
        return void db.prepare('UPDATE loose SET a = ? WHERE rowid = ?').run(random.below(3), id);
      case 6:
        if (random.below(30) === 0) db.prepare('INSERT INTO keyless VALUES (1, 2, 3, ?)').run(value);
        return;
      default:
        return void db.prepare('INSERT INTO posts (title, body) VALUES (?, ?)').run(random.below(4), value);
    }
  }

  #changeSchema(db: DatabaseSync): void {
    const random = this.#random;
    const number = random.below(3);
    switch (random.below(4)) {
      case 0:
        db.exec(`CREATE TABLE IF NOT EXISTS extra${number} (id INTEGER PRIMARY KEY, a)`);
        db.prepare(`INSERT INTO extra${number} (a) VALUES (?)`).run(random.below(3));
        break;
      case 1:
        db.exec(`DROP TABLE IF EXISTS extra${number}`);
        break;
      case 2:
        db.exec(`CREATE INDEX IF NOT EXISTS index${number} ON posts (title, body)`);
        break;
      default:
        if (random.below(3) === 0) db.exec(`ALTER TABLE loose ADD COLUMN more${random.below(1e6)}`);
    }
  }
}

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

/** The same whatever the order of names. */
function sorted(value: unknown): unknown {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, below]) => [name, sorted(below)]),
  );
}
