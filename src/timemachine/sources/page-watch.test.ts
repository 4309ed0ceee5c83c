import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import { FULL, Random, SEED } from '#testkit/random.ts';
import { scratchFolder } from '#testkit/snapshots/scratch.ts';
import { Archiver, type SnapshotResult } from '../archive/archiver.ts';
import { addContent } from '../content.ts';
import { hashOf } from '../hash.ts';
import { Repository, type SiteRepository } from '../repository.ts';
import { DiskStore } from '../stores/disk.ts';
import { RANGE_WHOLE_BELOW, readTableRoot } from '../tables/table-root.ts';
import type { TableReader } from '../tables/table-source.ts';
import { SqliteSource } from './sqlite.ts';

const STEPS = FULL ? 400 : 40;

function makeDatabase(t: TestContext, pragmas: string) {
  const folder = scratchFolder(t);
  const path = join(folder, 'site.sqlite');
  const db = new DatabaseSync(path);
  db.exec(pragmas);
  db.exec(`
    CREATE TABLE a (id INTEGER PRIMARY KEY, text, more); CREATE INDEX a_text ON a (text);
    CREATE TABLE b (text, more); CREATE TABLE named (name PRIMARY KEY, more) WITHOUT ROWID;
    CREATE VIEW shown AS SELECT * FROM a`);
  const repository = new Repository(new DiskStore(join(folder, 'store'))).site('ada', 'site');
  const source = new SqliteSource(path, { watchedFromBytes: 0 });
  const seen = { looks: 0, told: 0, reads: 0 };
  const counted = (reader: TableReader): TableReader => ({
    ...reader,
    changedSince: async (version) => {
      const changes = await reader.changedSince?.(version);
      seen.looks++;
      if (changes) seen.told++;
      return changes;
    },
    read: (...range) => {
      seen.reads++;
      return reader.read(...range);
    },
    async *cut(...range) {
      for await (const block of reader.cut(...range)) {
        seen.reads++;
        yield block;
      }
    },
  });
  const archiver = new Archiver({
    repository,
    tables: {
      version: () => source.version(),
      open: async () => counted(await source.open()),
      close: () => source.close(),
    },
  });
  return { path, db, repository, source, archiver, seen };
}

/** Every row of every table is in the snapshot as it is, told by reading all of it. */
async function assertWhole(repository: SiteRepository, path: string, { snapshot }: SnapshotResult, what: string) {
  const source = new SqliteSource(path);
  const reader = await source.open();
  try {
    assert.deepEqual(Object.keys(snapshot.tables).sort(), reader.tables.map(({ name }) => name).sort(), what);
    for (const table of reader.tables) {
      const { description, nodes } = await readTableRoot(repository, snapshot.tables[table.name] as string);
      assert.deepEqual(description, table, what);
      const ranges = nodes.flatMap((node) => node.ranges);
      if (ranges.length === 0) assert.equal((await reader.read(table, null, null)).rows, 0, what);
      for (const [index, { low, ref }] of ranges.entries()) {
        const { bytes } = await reader.read(table, low, ranges[index + 1]?.low ?? null);
        const message = `${what}: ${table.name} from ${low}`;
        assert.equal(addContent({ add: hashOf }, bytes, RANGE_WHOLE_BELOW), ref, message);
      }
    }
  } finally {
    await reader.close();
    await source.close();
  }
}

const STEPS_BY_NAME: Record<string, (db: DatabaseSync, random: Random) => void> = {
  insert: (db, random) => {
    const insert = db.prepare(`INSERT INTO ${random.pick(['a', 'b'])} (text, more) VALUES (?, ?)`);
    for (let count = random.below(80); count > 0; count--) insert.run(random.text(random.below(60)), random.below(1e9));
  },
  'insert long ones': (db, random) => {
    const insert = db.prepare(`INSERT INTO ${random.pick(['a', 'b'])} (text, more) VALUES (?, ?)`);
    for (let count = random.below(5); count > 0; count--)
      insert.run(random.text(random.below(30_000)), random.bytes(9));
  },
  'insert anywhere': (db, random) => {
    const insert = db.prepare('INSERT OR REPLACE INTO a VALUES (?, ?, ?)');
    const far = BigInt(random.below(2 ** 31)) * BigInt(random.below(2 ** 31));
    for (const id of [far, -far, BigInt(random.below(1000)), 2n ** 63n - 1n, -(2n ** 63n)]) insert.run(id, 'far', 1);
  },
  update: (db, random) => {
    const update = db.prepare(`UPDATE ${random.pick(['a', 'b'])} SET more = ? WHERE rowid = ?`);
    for (let count = random.below(5); count > 0; count--) update.run(random.text(5), random.below(600));
  },
  'change the middle of long ones': (db, random) => {
    // The same length: only a page of the overflow chain changes, and the leaf does not.
    db.prepare(
      `UPDATE a SET text = substr(text, 1, length(text) - 40) || ? || substr(text, length(text) - 38)
       WHERE id = (SELECT id FROM a ORDER BY length(text) DESC LIMIT 1 OFFSET ?)`,
    ).run(`${random.below(10)}`, random.below(9));
  },
  delete: (db, random) => db.exec(`DELETE FROM a WHERE id % ${2 + random.below(20)} = 0 OR id > 1e12`),
  'delete a stretch': (db, random) => {
    const from = random.below(500);
    db.exec(`DELETE FROM ${random.pick(['a', 'b'])} WHERE rowid BETWEEN ${from} AND ${from + random.below(200)}`);
  },
  'take all out': (db) => db.exec('DROP TABLE IF EXISTS put; CREATE TABLE put AS SELECT * FROM a; DELETE FROM a'),
  // The pages that come back from the list of free ones may hold what they held before.
  'put all back': (db) => {
    if (db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'put'").get()) {
      db.exec('INSERT OR IGNORE INTO a SELECT * FROM put ORDER BY id; DROP TABLE put');
    }
  },
  'swap names': (db) => {
    db.exec('ALTER TABLE b RENAME TO c; CREATE TABLE b (text, more); INSERT INTO b SELECT text, more FROM c');
    db.exec('DROP TABLE c');
  },
  'swap tables': (db) => {
    db.exec('CREATE TABLE IF NOT EXISTS d (text, more); ALTER TABLE b RENAME TO e; ALTER TABLE d RENAME TO b');
    db.exec('ALTER TABLE e RENAME TO d');
  },
  'add a column': (db, random) => {
    const { n } = db.prepare("SELECT count(*) AS n FROM pragma_table_info('b')").get() as { n: number };
    if (n < 6) db.exec(`ALTER TABLE b ADD COLUMN extra${random.below(1e9)} DEFAULT ${random.below(9)}`);
  },
  'drop a column': (db) => {
    const extra = db.prepare("SELECT name FROM pragma_table_info('b') WHERE name LIKE 'extra%'").get();
    if (extra) db.exec(`ALTER TABLE b DROP COLUMN ${extra.name}`);
  },
  'named rows': (db, random) =>
    void db.prepare('REPLACE INTO named VALUES (?, ?)').run(random.text(3), random.text(random.below(3000))),
  index: (db) => db.exec('DROP INDEX IF EXISTS b_text; CREATE INDEX b_text ON b (text)'),
  vacuum: (db) => db.exec('VACUUM'),
  'vacuum a little': (db) => db.exec('PRAGMA incremental_vacuum(3)'),
};
/** Those that make looking at pages useless or rare come rarely. */
const RARE = new Set(['insert anywhere', 'vacuum', 'swap names', 'swap tables', 'take all out']);

for (const pragmas of [
  'PRAGMA page_size = 512',
  'PRAGMA page_size = 512; PRAGMA auto_vacuum = 1',
  'PRAGMA page_size = 1024; PRAGMA auto_vacuum = 2',
  'PRAGMA page_size = 4096; PRAGMA secure_delete = ON',
  'PRAGMA page_size = 65536',
]) {
  test(`looking at pages misses no row, whatever happens, ${pragmas} (seed ${SEED})`, async (t) => {
    const { path, db, repository, archiver, seen } = makeDatabase(t, pragmas);
    const random = new Random(SEED);
    const names = Object.keys(STEPS_BY_NAME);
    const done: string[] = [];
    for (let step = 0; step < STEPS + 10; step++) {
      // With a log beside it the file does not tell what changed.
      if (step === STEPS) db.exec('PRAGMA journal_mode = WAL');
      for (let more = random.below(3); more >= 0; more--) {
        const name = random.pick(names);
        if (RARE.has(name) && random.below(4) > 0) continue;
        STEPS_BY_NAME[name]?.(db, random);
        done.push(name);
      }
      await assertWhole(repository, path, await archiver.snapshot(), `${step}: ${done.splice(0).join(', ')}`);
    }
    assert.ok(seen.told > STEPS / 4, JSON.stringify(seen));
    db.close();
  });
}

test('a changed row of many, or a longer one at the end, has only the ranges around it read', async (t) => {
  const { db, archiver, seen } = makeDatabase(t, '');
  const random = new Random(SEED);
  db.function('noise', (length) => random.bytes(Number(length)).toString('hex'));
  db.exec(`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 30000)
           INSERT INTO a SELECT i, noise(40), i FROM n`);
  await archiver.snapshot();
  assert.ok(seen.reads > 300, `${seen.reads}`);
  for (const sql of [
    "UPDATE a SET more = 'x' WHERE id = 15000",
    "INSERT INTO a (text) VALUES ('one more')",
    'UPDATE a SET text = noise(9000) WHERE id = 77',
    // Only a page of the row's overflow chain changes, and no leaf.
    "UPDATE a SET text = substr(text, 1, 17000) || 'x' || substr(text, 17002) WHERE id = 77",
    'DELETE FROM a WHERE id = 500',
  ]) {
    db.exec(sql);
    seen.reads = 0;
    assert.equal((await archiver.snapshot()).isNew, true, sql);
    assert.ok(seen.reads < 20, `${sql} read ${seen.reads} ranges`);
  }
  db.close();
});

test('rows that got their value from a default are read again when the default is another one', async (t) => {
  const { path, db, repository, archiver } = makeDatabase(t, '');
  db.exec("INSERT INTO b (text) VALUES ('one'); ALTER TABLE b ADD COLUMN extra DEFAULT 1");
  await archiver.snapshot();
  db.close();
  const forger = new DatabaseSync(path, { defensive: false });
  forger.exec("PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = replace(sql, 'DEFAULT 1', 'DEFAULT 2')");
  forger.exec('PRAGMA schema_version = 1000');
  forger.close();
  await assertWhole(repository, path, await archiver.snapshot(), 'another default');
});
