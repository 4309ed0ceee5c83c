import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { suiteStore } from '#testkit/snapshots/gateway-store.ts';
import { scratchFolder } from '#testkit/snapshots/scratch.ts';
import { Archiver } from '../archive/archiver.ts';
import { Repository } from '../repository.ts';
import { SqliteSource } from '../sources/sqlite.ts';
import { describeTableChange } from './describe-change.ts';
import { planTables } from './table-plan.ts';

test('a change of a table is told with its counts and some rows as JSON', async (t) => {
  const folder = scratchFolder(t);
  const path = join(folder, 'site.sqlite');
  const db = new DatabaseSync(path);
  db.exec('CREATE TABLE posts (ID INTEGER PRIMARY KEY, title, extra)');
  const insert = db.prepare('INSERT INTO posts VALUES (?, ?, ?)');
  insert.run(1, 'one', null);
  insert.run(2, 'x'.repeat(1000), 1.5);
  insert.run(3, Buffer.alloc(77), 2n ** 60n);
  for (let id = 100; id < 140; id++) insert.run(id, 'stays', null);
  const repository = new Repository(suiteStore(folder)).site('ada', 'site');
  const archiver = new Archiver({ repository, tables: new SqliteSource(path) });
  const describe = async (from: Record<string, string>, to: Record<string, string>) => {
    const [change] = (await planTables(repository, from, to)).changed;
    assert.ok(change);
    return describeTableChange(change);
  };
  const { tables: point } = (await archiver.snapshot()).snapshot;
  db.exec("UPDATE posts SET title = 'other' WHERE ID = 1; DELETE FROM posts WHERE ID IN (2, 3)");
  insert.run(4, 'later', Number.POSITIVE_INFINITY);
  const { tables: now } = (await archiver.snapshot()).snapshot;
  assert.deepEqual(await describe(now, point), {
    rowsAdded: 2,
    rowsChanged: 1,
    rowsRemoved: 1,
    sample: [
      { key: [1], before: { ID: 1, title: 'other', extra: null }, after: { ID: 1, title: 'one', extra: null } },
      { key: [4], before: { ID: 4, title: 'later', extra: 'Infinity' }, after: null },
      { key: [2], before: null, after: { ID: 2, title: `${'x'.repeat(300)}…`, extra: 1.5 } },
      { key: [3], before: null, after: { ID: 3, title: { bytes: 77 }, extra: '1152921504606846976' } },
    ],
  });
  db.exec("UPDATE posts SET title = 'all'");
  const { tables: later } = (await archiver.snapshot()).snapshot;
  const many = await describe(later, point);
  assert.equal(many.rowsChanged, 41);
  assert.equal(many.sample.length, 20);
  db.exec('ALTER TABLE posts ADD COLUMN more');
  const { tables: remade } = (await archiver.snapshot()).snapshot;
  assert.deepEqual(await describe(remade, point), { rowsAdded: 43, rowsChanged: 0, rowsRemoved: 42, sample: [] });
});
