import assert from 'node:assert/strict';
import { existsSync, renameSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import { scratchFolder } from '#testkit/snapshots/scratch.ts';
import { truthOfDatabase } from '#testkit/snapshots/truth.ts';
import { Archiver } from '../archive/archiver.ts';
import { Repository } from '../repository.ts';
import { restoreInto } from '../restore/restore-into.ts';
import { planRestore, restore } from '../restore/restorer.ts';
import { DiskStore } from '../stores/disk.ts';
import { SqliteSource } from './sqlite.ts';
import { SqliteTarget } from './sqlite-target.ts';

/** A database with some posts, and everything to take it back. */
function makeDatabase(t: TestContext, sql = '') {
  const folder = scratchFolder(t);
  const path = join(folder, 'site.sqlite');
  const db = new DatabaseSync(path, { defensive: false });
  db.exec('CREATE TABLE posts (ID INTEGER PRIMARY KEY, title TEXT); CREATE TABLE spoils (what)');
  db.exec(`INSERT INTO posts (title) VALUES ('one'), ('two'), ('three'); ${sql}`);
  const repository = new Repository(new DiskStore(join(folder, 'store'))).site('ada', 'site');
  const source = new SqliteSource(path);
  const archiver = new Archiver({ repository, tables: source });
  const bringBack = async ({ snapshot: point }: { snapshot: Parameters<typeof planRestore>[2] }) => {
    const now = await archiver.snapshot();
    const target = new SqliteTarget(path);
    const tables = { source, target, version: now.tablesVersion };
    try {
      const plan = await planRestore(repository, now.snapshot, point);
      await restore(plan, { repository, staging: join(folder, 'staging'), tables });
      return plan;
    } finally {
      await target.close();
    }
  };
  const spoils = () => db.prepare('SELECT what FROM spoils').all();
  return { folder, path, db, repository, source, archiver, bringBack, spoils };
}

async function* noRows(): AsyncGenerator<never> {}

/** Gives an entry of the schema another text, as one can who writes the file by hand. */
function forge(path: string, name: string, change: string): void {
  const db = new DatabaseSync(path, { defensive: false });
  db.exec(`PRAGMA writable_schema = ON; UPDATE sqlite_schema SET ${change} WHERE name = '${name}'`);
  const { schema_version } = db.prepare('PRAGMA schema_version').get() as { schema_version: number };
  db.exec(`PRAGMA schema_version = ${schema_version + 1}`);
  db.close();
}

test('a database that is missing, empty, damaged or a link is a failure and not a site without tables', async (t) => {
  const { folder, path, db, repository, archiver } = makeDatabase(t);
  db.close();
  await archiver.snapshot();
  const aside = join(folder, 'aside.sqlite');
  const refuses = async (reason: RegExp) => {
    const failure = { code: 'unreadable_database', message: reason };
    await assert.rejects(archiver.snapshot(), failure);
    await assert.rejects(new Archiver({ repository, tables: new SqliteSource(path) }).snapshot(), failure);
  };
  renameSync(path, aside);
  await refuses(/it is missing/);
  assert.equal(existsSync(path), false, 'looking for it does not make it');
  writeFileSync(path, '');
  await refuses(/it is empty/);
  writeFileSync(path, Buffer.alloc(8192, 'no database'));
  await refuses(/not a database/);
  rmSync(path);
  symlinkSync(aside, path);
  await refuses(/it is a link/);
  assert.throws(() => new SqliteTarget(path), { code: 'unreadable_database' });
  rmSync(path);
  renameSync(aside, path);
  truncateSync(path, 4096);
  await refuses(/malformed/);
  assert.equal((await repository.snapshots()).length, 1);
});

test('another file in the place of the database is the database', async (t) => {
  const { folder, path, archiver, db } = makeDatabase(t);
  const first = await archiver.snapshot();
  db.close();
  const other = new DatabaseSync(join(folder, 'other.sqlite'));
  other.exec("CREATE TABLE posts (ID INTEGER PRIMARY KEY, title TEXT); INSERT INTO posts VALUES (1, 'other')");
  other.close();
  renameSync(join(folder, 'other.sqlite'), path);
  const second = await archiver.snapshot();
  assert.deepEqual(Object.keys(second.snapshot.tables), ['posts']);
  assert.notEqual(second.snapshot.tables.posts, first.snapshot.tables.posts);
});

test('a restore fires no trigger, also none that names its table in another case', async (t) => {
  const { path, db, archiver, bringBack, spoils } = makeDatabase(
    t,
    `CREATE TRIGGER removed BEFORE DELETE ON posts BEGIN INSERT INTO spoils VALUES ('removed'); END;
     CREATE TRIGGER added AFTER INSERT ON POSTS BEGIN INSERT INTO spoils VALUES ('added'); END;`,
  );
  const before = truthOfDatabase(path);
  const point = await archiver.snapshot();
  db.exec("UPDATE posts SET title = 'changed' WHERE ID = 2; UPDATE posts SET ID = 9 WHERE ID = 3");
  assert.deepEqual((await bringBack(point)).counters.rowsAdded, 2);
  assert.deepEqual(spoils(), []);
  assert.deepEqual(truthOfDatabase(path), before, 'the triggers are there again');
  db.exec('ALTER TABLE posts ADD COLUMN more; DROP TRIGGER removed');
  await bringBack(point);
  assert.deepEqual(spoils(), []);
  assert.deepEqual(truthOfDatabase(path), before);
});

test('nothing of a view or trigger runs in the database that a restore writes to', async (t) => {
  const { path } = makeDatabase(t, 'CREATE VIEW shown AS SELECT ID FROM posts');
  const target = new SqliteTarget(path);
  const view = { name: 'shown', columns: ['ID'], key: [], schema: {} };
  await assert.rejects(
    target.transaction((changes) => changes.read(view, null, null)),
    /prohibited/,
  );
  await target.close();
});

test('statements hidden behind the one that makes a table, index, view or trigger are not run', async (t) => {
  const { folder, path, db, repository, archiver } = makeDatabase(
    t,
    `CREATE INDEX titles ON posts (title); CREATE VIEW shown AS SELECT * FROM posts;
     CREATE TRIGGER quiet AFTER INSERT ON posts BEGIN SELECT 1; END`,
  );
  db.close();
  const victim = join(folder, 'victim.sqlite');
  const hidden = `; ATTACH DATABASE ''${victim}'' AS victim; CREATE TABLE victim.spoils (what); DROP TABLE spoils`;
  for (const name of ['posts', 'titles', 'shown', 'quiet']) forge(path, name, `sql = sql || '${hidden}'`);
  const { snapshot } = await archiver.snapshot();
  const copy = new SqliteTarget(join(folder, 'copy.sqlite'));
  await restoreInto(repository, snapshot, { tables: copy });
  await copy.close();
  assert.equal(existsSync(victim), false);
  const names = Object.keys(truthOfDatabase(join(folder, 'copy.sqlite')));
  assert.ok(['table posts', 'index titles', 'view shown', 'trigger quiet'].every((name) => names.includes(name)));
});

test('a statement in a snapshot that makes nothing in this database is refused', async (t) => {
  const { folder, path } = makeDatabase(t);
  const target = new SqliteTarget(path);
  const before = truthOfDatabase(path);
  const make = async (sql: string) => {
    const table = { name: 'made', columns: ['a'], key: [], schema: { kind: 'table', sql, indexes: [], triggers: [] } };
    await target.stage(table, noRows());
    await target.transaction((changes) => changes.replace(table));
  };
  for (const sql of [
    `ATTACH DATABASE '${folder}/victim.sqlite' AS victim`,
    'CREATE TABLE made AS SELECT * FROM posts',
    'CREATE TEMP TABLE made (a)',
    'CREATE TABLE staged.made (a)',
    'CREATE VIRTUAL TABLE made USING fts5 (a)',
    'DELETE FROM posts',
    'PRAGMA trusted_schema = ON',
    `VACUUM INTO '${folder}/victim.sqlite'`,
  ]) {
    await assert.rejects(make(sql), sql);
  }
  assert.equal(existsSync(join(folder, 'victim.sqlite')), false);
  assert.deepEqual(truthOfDatabase(path), before);
  await target.close();
});

test('a journal that would have SQLite delete another file is refused', async (t) => {
  const { folder, path, db, archiver } = makeDatabase(t);
  db.close();
  const victim = join(folder, 'victim');
  writeFileSync(victim, 'precious');
  writeFileSync(`${path}-journal`, journalThatNames(victim));
  await assert.rejects(archiver.snapshot(), /its journal names other files/);
  assert.throws(() => new SqliteTarget(path), { code: 'unreadable_database' });
  assert.equal(existsSync(victim), true);
});

/** A journal without pages, as SQLite leaves it behind after a crash in a transaction over several databases. */
function journalThatNames(path: string): Buffer {
  const name = Buffer.from(path);
  const header = Buffer.alloc(512);
  header.set(Buffer.from('d9d505f920a163d7', 'hex'));
  header.writeUInt32BE(2, 16);
  header.writeUInt32BE(512, 20);
  header.writeUInt32BE(4096, 24);
  const numbers = (...values: number[]) => Buffer.from(Uint32Array.from(values).buffer).swap32();
  const sum = name.reduce((total, byte) => total + byte, 0);
  const end = [numbers(262145), name, numbers(name.length, sum), Buffer.from('d9d505f920a163d7', 'hex')];
  return Buffer.concat([header, ...end]);
}

test('a table that SQLite can not read here is told with the reason, and the others are stored', async (t) => {
  const { path, db, archiver, bringBack } = makeDatabase(t, 'CREATE TABLE odd (name PRIMARY KEY, value) WITHOUT ROWID');
  forge(path, 'odd', "sql = 'CREATE TABLE odd (name COLLATE ours PRIMARY KEY, value) WITHOUT ROWID'");
  const point = await archiver.snapshot();
  assert.deepEqual(Object.keys(point.snapshot.tables), ['posts', 'spoils']);
  assert.match(point.snapshot.tablesSkipped[0]?.reason ?? '', /no such collation sequence: ours/);
  forge(path, 'odd', "sql = 'CREATE TABLE odd (name PRIMARY KEY, value) WITHOUT ROWID'");
  db.exec('DELETE FROM posts');
  const { tables, counters } = await bringBack(point);
  assert.deepEqual(tables?.failed, point.snapshot.tablesSkipped);
  assert.equal(counters.tablesFailed, 1);
  assert.ok('table odd' in truthOfDatabase(path), 'what could not be stored is not dropped');
});

test('an index comes back that has become one of another table', async (t) => {
  const { path, db, archiver, bringBack } = makeDatabase(t, 'CREATE INDEX moved ON posts (title)');
  const before = truthOfDatabase(path);
  const point = await archiver.snapshot();
  db.exec('DROP INDEX moved; CREATE INDEX moved ON spoils (what)');
  await bringBack(point);
  assert.deepEqual(truthOfDatabase(path), before);
});
