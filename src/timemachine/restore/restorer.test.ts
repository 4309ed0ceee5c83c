import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import { scratchFolder } from '../../../test/timemachine/scratch.ts';
import { truthOfFolder } from '../../../test/timemachine/truth.ts';
import { Archiver, type SnapshotResult } from '../archive/archiver.ts';
import { Repository } from '../repository.ts';
import { SqliteSource } from '../sources/sqlite.ts';
import { SqliteTarget } from '../sources/sqlite-target.ts';
import { DiskStore } from '../stores/disk.ts';
import { restoreInto } from './restore-into.ts';
import { OutdatedPlan, type PlanOptions, planRestore, restore } from './restorer.ts';

function makeSite(t: TestContext) {
  const folder = scratchFolder(t);
  const site = join(folder, 'site');
  mkdirSync(join(site, 'pages'), { recursive: true });
  writeFileSync(join(site, 'kept.txt'), 'never changes');
  writeFileSync(join(site, 'changed.txt'), 'old');
  writeFileSync(join(site, 'pages/removed.txt'), 'old');
  const db = new DatabaseSync(join(folder, 'site.sqlite'));
  db.exec(
    'CREATE TABLE posts (ID INTEGER PRIMARY KEY, title TEXT); CREATE TABLE options (name TEXT PRIMARY KEY, value)',
  );
  db.exec("INSERT INTO posts (title) VALUES ('one'), ('two'), ('three'); INSERT INTO options VALUES ('a', 1)");
  const source = new SqliteSource(join(folder, 'site.sqlite'));
  const target = new SqliteTarget(join(folder, 'site.sqlite'));
  const repository = new Repository(new DiskStore(join(folder, 'store'))).site('ada', 'site');
  const archiver = new Archiver({ repository, folder: site, tables: source });
  const change = () => {
    writeFileSync(join(site, 'changed.txt'), 'new');
    writeFileSync(join(site, 'extra.txt'), 'new');
    mkdirSync(join(site, 'extra'));
    writeFileSync(join(site, 'extra/file.txt'), 'new');
    rmSync(join(site, 'pages'), { recursive: true });
    db.exec("UPDATE posts SET title = 'changed' WHERE ID = 2; DELETE FROM posts WHERE ID = 3; CREATE TABLE later (x)");
  };
  const bringBack = async (point: SnapshotResult, now: SnapshotResult, options: PlanOptions = {}) => {
    const plan = await planRestore(repository, now.snapshot, point.snapshot, options);
    const tables = { target, source, version: now.tablesVersion };
    await restore(plan, { repository, folder: site, staging: join(folder, 'staging'), tables });
    return plan.counters;
  };
  const titles = () =>
    db
      .prepare('SELECT title FROM posts ORDER BY ID')
      .all()
      .map(({ title }) => title);
  return { folder, site, db, repository, archiver, change, bringBack, titles };
}

test('the counters of the plan are what the restore does, and extra files stay', async (t) => {
  const { site, archiver, change, bringBack, titles } = makeSite(t);
  const point = await archiver.snapshot();
  const { ino } = statSync(join(site, 'kept.txt'));
  change();
  const counters = await bringBack(point, await archiver.snapshot());
  assert.deepEqual(counters, {
    filesAdded: 1,
    filesDeleted: 0,
    filesRestored: 1,
    foldersAdded: 1,
    foldersDeleted: 0,
    bytes: 6,
    tablesRestored: 1,
    tablesDeleted: 1,
    tablesSkipped: 1,
    rowsAdded: 2,
    rowsRemoved: 1,
  });
  assert.equal(readFileSync(join(site, 'changed.txt'), 'utf8'), 'old');
  assert.equal(readFileSync(join(site, 'extra/file.txt'), 'utf8'), 'new');
  assert.deepEqual(titles(), ['one', 'two', 'three']);
  assert.equal(statSync(join(site, 'kept.txt')).ino, ino, 'what did not differ was not touched');
});

test('extra files go when that is asked for, but never what was excluded from the snapshot', async (t) => {
  const { site, archiver, change, bringBack } = makeSite(t);
  const point = await archiver.snapshot();
  const before = truthOfFolder(site);
  change();
  const now = await archiver.snapshot();
  // It came after the look; no snapshot knows it, so no restore may remove it.
  writeFileSync(join(site, 'extra/unknown.txt'), 'in no snapshot');
  const counters = await bringBack(point, now, { deleteExtraFiles: true });
  assert.equal(counters.filesDeleted, 2);
  assert.equal(counters.foldersDeleted, 1);
  assert.equal(readFileSync(join(site, 'extra/unknown.txt'), 'utf8'), 'in no snapshot');
  rmSync(join(site, 'extra'), { recursive: true });
  assert.deepEqual(truthOfFolder(site), before);
});

test('each half can be restored alone, and tables from another snapshot', async (t) => {
  const { site, db, archiver, change, bringBack, titles } = makeSite(t);
  const first = await archiver.snapshot();
  change();
  const second = await archiver.snapshot();
  await bringBack(first, second, { tables: false });
  assert.deepEqual(titles(), ['one', 'changed']);
  assert.equal(readFileSync(join(site, 'changed.txt'), 'utf8'), 'old');
  db.exec('DELETE FROM posts');
  await bringBack(second, await archiver.snapshot(), { files: false });
  assert.deepEqual(titles(), ['one', 'changed']);
  assert.equal(readFileSync(join(site, 'changed.txt'), 'utf8'), 'old');
  await bringBack(second, await archiver.snapshot(), { tablesFrom: first.snapshot });
  assert.deepEqual(titles(), ['one', 'two', 'three']);
  assert.equal(readFileSync(join(site, 'changed.txt'), 'utf8'), 'new');
});

test('a plan for a state that is no longer there changes nothing', async (t) => {
  const { folder, site, db, archiver, change, bringBack, titles } = makeSite(t);
  const point = await archiver.snapshot();
  change();
  const now = await archiver.snapshot();
  db.exec("INSERT INTO posts VALUES (9, 'just now')");
  const before = truthOfFolder(site);
  await assert.rejects(bringBack(point, now), OutdatedPlan);
  assert.deepEqual(titles(), ['one', 'changed', 'just now']);
  const again = await archiver.snapshot();
  writeFileSync(join(site, 'changed.txt'), 'written just now');
  await assert.rejects(bringBack(point, again), OutdatedPlan);
  writeFileSync(join(site, 'changed.txt'), 'new');
  assert.deepEqual(Object.keys(truthOfFolder(site)), Object.keys(before));
  assert.equal(existsSync(join(folder, 'staging')), false);
});

test('nothing is written through a link that took the place of a folder', async (t) => {
  const { folder, site, archiver, bringBack } = makeSite(t);
  const point = await archiver.snapshot();
  writeFileSync(join(site, 'pages/removed.txt'), 'new');
  const now = await archiver.snapshot();
  mkdirSync(join(folder, 'foreign'));
  writeFileSync(join(folder, 'foreign/removed.txt'), 'new');
  renameSync(join(site, 'pages'), join(site, 'moved'));
  symlinkSync(join(folder, 'foreign'), join(site, 'pages'));
  await assert.rejects(bringBack(point, now));
  assert.equal(readFileSync(join(folder, 'foreign/removed.txt'), 'utf8'), 'new');
});

test('a copy of many files is written by several threads and is the same, byte by byte', async (t) => {
  const { folder, site, repository, archiver } = makeSite(t);
  for (let index = 0; index < 60; index++) {
    writeFileSync(join(site, `pages/big${index}`), Buffer.alloc(400_000 + index * 20_000, `content ${index} `));
  }
  writeFileSync(join(site, 'pages/huge'), Buffer.alloc(9_500_000, 'huge'), { mode: 0o640 });
  const { snapshot } = await archiver.snapshot();
  await restoreInto(repository, snapshot, { folder: join(folder, 'copy') });
  assert.deepEqual(truthOfFolder(join(folder, 'copy')), truthOfFolder(site));
});
