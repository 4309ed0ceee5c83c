import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync, type SQLOutputValue } from 'node:sqlite';
import { test } from 'node:test';
import { toSqlValue } from '#runtimes/wordpress/dump/convert.ts';
import { DumpReader } from '#runtimes/wordpress/dump/dump-reader.ts';
import { affinityOf } from '#runtimes/wordpress/dump/table.ts';
import { scratchFolder } from '#testkit/snapshots/scratch.ts';
import { Archiver } from '../archive/archiver.ts';
import { Repository } from '../repository.ts';
import { SqliteSource } from '../sources/sqlite.ts';
import { DiskStore } from '../stores/disk.ts';
import { dumpHandler } from './dump-handlers.ts';

const RULES = { publicFolders: [], tablePrefix: '', fleetingTables: [], hiddenTables: [], neededTables: [] };

/** Every kind of key that a table of SQLite can have; some have a column with the name of the row id. */
const TABLES = {
  composite: '(a INTEGER NOT NULL, b INTEGER NOT NULL, c TEXT, PRIMARY KEY (a, b))',
  numbered: '(a INTEGER PRIMARY KEY AUTOINCREMENT, b TEXT)',
  named: '(a TEXT NOT NULL PRIMARY KEY, b BLOB)',
  keyless: '(a TEXT, b REAL)',
  ordered: '(a TEXT PRIMARY KEY, b TEXT) WITHOUT ROWID',
  own_number: '(rowid INTEGER PRIMARY KEY, b TEXT)',
  own_order: '(rowid TEXT PRIMARY KEY, b TEXT) WITHOUT ROWID',
  own_column: '(a TEXT, rowid TEXT)',
  every_name: '(rowid TEXT, oid TEXT, _rowid_ TEXT)',
  checked: '(a INTEGER PRIMARY KEY, b TEXT CHECK (only_the_site_has_this(b)))',
};

test('a dump names the columns of a table of SQLite and no others, whatever its key is', async (t) => {
  const folder = scratchFolder(t);
  const file = join(folder, 'site.sqlite');
  const db = new DatabaseSync(file);
  t.after(() => db.close());
  db.function('only_the_site_has_this', { deterministic: true }, (_value) => 1);
  const columnsOf = (table: string) =>
    db
      .prepare('SELECT name FROM pragma_table_info(?)')
      .all(table)
      .map(({ name }) => String(name));
  for (const [table, columns] of Object.entries(TABLES)) {
    db.exec(`CREATE TABLE ${table} ${columns}`);
    const places = columnsOf(table).map(() => '?');
    // In an order that is not the one of the keys.
    for (const number of [3, 1, 2])
      db.prepare(`INSERT INTO ${table} VALUES (${places})`).run(...places.map(() => number));
  }
  const site = { space: 'ada', site: 'site' };
  const repository = new Repository(new DiskStore(join(folder, 'store')));
  const archiver = new Archiver({ repository: repository.site(site.space, site.site), tables: new SqliteSource(file) });
  const { id } = await archiver.snapshot();
  const dump = dumpHandler(repository);
  const parts: Buffer[] = [];
  for (let place: Parameters<typeof dump>[3] | null = { table: 0, range: 0 }; place; ) {
    const { sql, next } = await dump(undefined, { ...site, rules: RULES }, id, place);
    parts.push(Buffer.from(sql));
    place = next;
  }

  const read = new Map<string, Record<string, unknown>[]>();
  const reader = new DumpReader((table, columns, row, { charset }) => {
    const typeOf = (column: string) => table.columns.find((each) => each.name === column)?.type ?? 'none';
    assert.deepEqual(columns, columnsOf(table.name), `the columns of ${table.name}`);
    const values = row.map((value, index) => {
      const affinity = affinityOf(typeOf(columns[index] as string));
      assert.ok(affinity, `${table.name} is created with ${columns[index]}`);
      return String(toSqlValue(value, affinity, charset));
    });
    const rows = read.get(table.name) ?? [];
    read.set(table.name, [...rows, Object.fromEntries(columns.map((column, index) => [column, values[index]]))]);
  });
  await reader.read(
    (async function* () {
      yield* parts;
    })(),
  );
  const text = (row: Record<string, SQLOutputValue>) =>
    Object.fromEntries(Object.entries(row).map(([column, value]) => [column, String(value)]));
  for (const table of Object.keys(TABLES)) {
    const byFirst = (rows: Record<string, unknown>[]) =>
      rows.toSorted((a, b) => String(Object.values(a)[0]).localeCompare(String(Object.values(b)[0])));
    const stored = db.prepare(`SELECT ${columnsOf(table)} FROM ${table}`).all();
    assert.deepEqual(byFirst(read.get(table) ?? []), byFirst(stored.map(text)), `the rows of ${table}`);
  }
});
