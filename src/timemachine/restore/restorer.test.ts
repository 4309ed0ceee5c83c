import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import { suiteStore } from '#testkit/snapshots/gateway-store.ts';
import { ends } from '#testkit/snapshots/progress.ts';
import { scratchFolder } from '#testkit/snapshots/scratch.ts';
import { truthOfFolder } from '#testkit/snapshots/truth.ts';
import { Archiver, type SnapshotResult } from '../archive/archiver.ts';
import type { OnProgress, Progress } from '../progress.ts';
import { Repository } from '../repository.ts';
import { SqliteSource } from '../sources/sqlite.ts';
import { SqliteTarget } from '../sources/sqlite-target.ts';
import { restoreInto } from './restore-into.ts';
import { type PlanOptions, planRestore, restore } from './restorer.ts';

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
  const repository = new Repository(suiteStore(folder)).site('ada', 'site');
  const archiver = new Archiver({ repository, folder: site, tables: source });
  const change = () => {
    writeFileSync(join(site, 'changed.txt'), 'new');
    writeFileSync(join(site, 'extra.txt'), 'new');
    mkdirSync(join(site, 'extra'));
    writeFileSync(join(site, 'extra/file.txt'), 'new');
    rmSync(join(site, 'pages'), { recursive: true });
    db.exec("UPDATE posts SET title = 'changed' WHERE ID = 2; DELETE FROM posts WHERE ID = 3; CREATE TABLE later (x)");
  };
  const bringBack = async (
    point: SnapshotResult,
    now: SnapshotResult,
    options: PlanOptions = {},
    onProgress: OnProgress = () => {},
  ) => {
    const plan = await planRestore(repository, now.snapshot, point.snapshot, options);
    const tables = { target, source, version: now.tablesVersion };
    await restore(plan, { repository, folder: site, staging: join(folder, 'staging'), tables, onProgress });
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
    tablesFailed: 0,
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
  await assert.rejects(bringBack(point, now), { code: 'outdated_plan' });
  assert.deepEqual(titles(), ['one', 'changed', 'just now']);
  const again = await archiver.snapshot();
  writeFileSync(join(site, 'changed.txt'), 'written just now');
  await assert.rejects(bringBack(point, again), { code: 'outdated_plan' });
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

test('no file or folder of a backup would run as somebody else, and none of the site stays one', async (t) => {
  const { folder, site, repository, archiver } = makeSite(t);
  chmodSync(join(site, 'kept.txt'), 0o6755);
  chmodSync(join(site, 'pages'), 0o3755);
  const { snapshot } = await archiver.snapshot();
  await restoreInto(repository, snapshot, { folder: join(folder, 'copy') });
  const modeOf = (path: string) => (statSync(path).mode & 0o7777).toString(8);
  assert.deepEqual(
    [modeOf(join(folder, 'copy/kept.txt')), modeOf(join(folder, 'copy/pages')), modeOf(join(site, 'kept.txt'))],
    ['755', '755', '755'],
  );
});

test('what could not be stored at the point is neither deleted as extra nor dropped', async (t) => {
  const { site, db, archiver, bringBack } = makeSite(t);
  execFileSync('mkfifo', [join(site, 'pipe')]);
  db.exec('CREATE VIRTUAL TABLE search USING fts5 (words)');
  const point = await archiver.snapshot();
  rmSync(join(site, 'pipe'));
  writeFileSync(join(site, 'pipe'), 'now it is a file');
  writeFileSync(join(site, 'extra.txt'), 'extra');
  db.exec('DROP TABLE search; CREATE TABLE search (words); CREATE TABLE later (x)');
  const counters = await bringBack(point, await archiver.snapshot(), { deleteExtraFiles: true });
  assert.equal(readFileSync(join(site, 'pipe'), 'utf8'), 'now it is a file');
  assert.equal(existsSync(join(site, 'extra.txt')), false);
  assert.equal(counters.filesDeleted, 1);
  assert.equal(counters.tablesDeleted, 1, 'only the one that came later');
  // The virtual table and the five that belong to it.
  assert.equal(counters.tablesFailed, 6);
  assert.deepEqual(db.prepare('SELECT * FROM search').all(), []);
});

test('a restore tells how far it is, and in the end all of each step', async (t) => {
  const { folder, site, db, repository, archiver, bringBack } = makeSite(t);
  const point = await archiver.snapshot();
  writeFileSync(join(site, 'changed.txt'), 'new');
  rmSync(join(site, 'pages'), { recursive: true });
  db.exec('UPDATE posts SET title = 1; DROP TABLE options');
  const told: Progress[] = [];
  await bringBack(point, await archiver.snapshot(), { tables: true }, (progress) => told.push(progress));
  assert.deepEqual(ends(told), [
    { step: 'writing', files: 2, filesTotal: 2, bytes: 6, bytesTotal: 6, tables: 0 },
    // Rows that are changed one by one need no loading aside; those of the dropped table do.
    { step: 'tables', files: 0, bytes: 11, bytesTotal: 11, tables: 2, tablesTotal: 2 },
    { step: 'placing', files: 3, filesTotal: 3, bytes: 0, tables: 0 },
    { step: 'verifying', files: 3, filesTotal: 3, bytes: 6, tables: 0 },
  ]);
  for (let index = 0; index < 30; index++)
    writeFileSync(join(site, `big${index}`), Buffer.alloc(1_000_000, `${index}`));
  const { snapshot } = await archiver.snapshot();
  const steps = new Map<string, Progress>();
  await restoreInto(repository, snapshot, {
    folder: join(folder, 'copy'),
    onProgress: (progress) => steps.set(progress.step, progress),
  });
  const { fileCount: files, fileBytes: bytes } = snapshot;
  const all = { step: 'writing', files, filesTotal: files, bytes, bytesTotal: bytes, tables: 0 };
  assert.deepEqual(steps.get('writing'), all);
});

test('a link in the place of a folder is not taken for the folder when what was in there is looked for', async (t) => {
  const { site, archiver, bringBack } = makeSite(t);
  symlinkSync('.', join(site, 'inner'));
  const before = truthOfFolder(site);
  const point = await archiver.snapshot();
  rmSync(join(site, 'inner'));
  mkdirSync(join(site, 'inner'));
  // Through the link there is a file of this name.
  writeFileSync(join(site, 'inner/kept.txt'), 'of the folder');
  await bringBack(point, await archiver.snapshot(), { deleteExtraFiles: true });
  assert.deepEqual(truthOfFolder(site), before);
});
