import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { suiteStore } from '#testkit/snapshots/gateway-store.ts';
import { ends } from '#testkit/snapshots/progress.ts';
import { scratchFolder } from '#testkit/snapshots/scratch.ts';
import { hashOf } from '../hash.ts';
import type { Progress } from '../progress.ts';
import { Repository } from '../repository.ts';
import { SqliteSource } from '../sources/sqlite.ts';
import { readTree } from '../tree.ts';
import { anchorFolder } from './anchored-folder.ts';
import { Archiver } from './archiver.ts';

function makeSite(t: TestContext, options: { rows?: number; isExcluded?: (path: string) => boolean } = {}) {
  const folder = scratchFolder(t);
  const site = join(folder, 'site');
  mkdirSync(join(site, 'uploads'), { recursive: true });
  for (let index = 0; index < 30; index++) writeOld(join(site, `uploads/${index}.txt`), `content ${index}`);
  const database = join(folder, 'site.sqlite');
  const db = new DatabaseSync(database);
  db.exec('CREATE TABLE posts (ID INTEGER PRIMARY KEY, title TEXT); CREATE TABLE options (name TEXT, value TEXT)');
  const insert = db.prepare('INSERT INTO posts (title) VALUES (?)');
  db.exec('BEGIN');
  for (let row = 0; row < (options.rows ?? 100); row++) insert.run(`${row} ${hashOf(`${row}`)} ${hashOf(`${row}.`)}`);
  db.exec('COMMIT');
  const tables = new SqliteSource(database);
  const repository = new Repository(suiteStore(folder)).site('ada', 'site');
  const { isExcluded } = options;
  const archiver = new Archiver({ repository, folder: site, tables, ...(isExcluded ? { isExcluded } : {}) });
  return { folder, site, db, repository, archiver };
}

/** Writes a file that looks old, so that its times alone say whether it changed. */
function writeOld(path: string, content: string): void {
  writeFileSync(path, content);
  utimesSync(path, 1_700_000_000, 1_700_000_000);
}

test('a minute without changes is no snapshot, and one with changes names the tables that it saved', async (t) => {
  const { site, db, archiver } = makeSite(t);
  const first = await archiver.snapshot();
  assert.deepEqual(first.snapshot.tablesSaved, ['options', 'posts']);
  assert.equal((await archiver.snapshot()).isNew, false);
  db.exec("UPDATE posts SET title = 'new' WHERE ID = 5");
  const second = await archiver.snapshot();
  assert.deepEqual(second.snapshot.tablesSaved, ['posts']);
  assert.deepEqual(second.snapshot.tablesSkipped, [{ name: 'options', reason: 'unchanged' }]);
  writeFileSync(join(site, 'new.txt'), 'new');
  const third = await archiver.snapshot();
  assert.deepEqual(third.snapshot.tablesSaved, []);
  assert.equal(third.snapshot.tablesSkipped.length, 2);
  assert.equal(third.snapshot.parent, second.id.hash);
  // A write that leaves everything as it was.
  db.exec("UPDATE posts SET title = 'new' WHERE ID = 5");
  assert.equal((await archiver.snapshot()).isNew, false);
});

test('one changed row of many stores one small range', async (t) => {
  const { db, archiver } = makeSite(t, { rows: 20_000 });
  const first = await archiver.snapshot();
  db.exec("UPDATE posts SET title = 'new' WHERE ID = 10000");
  const second = await archiver.snapshot();
  assert.ok(first.storedBytes > 300_000, `${first.storedBytes}`);
  assert.ok(second.storedBytes < 20_000, `${second.storedBytes}`);
});

test('ranges follow a table that grows, shrinks and empties', async (t) => {
  const { db, repository, archiver } = makeSite(t, { rows: 6000 });
  await archiver.snapshot();
  const count = async () => {
    const { snapshot } = await archiver.snapshot();
    const { nodes, rows } = JSON.parse(`${await repository.read(snapshot.tables.posts as string)}`);
    let ranges = 0;
    for (const [, node] of nodes) ranges += JSON.parse(`${await repository.read(node)}`).length;
    return { rows, ranges };
  };
  db.exec("INSERT INTO posts (title) SELECT title || 'again' FROM posts");
  const grown = await count();
  assert.equal(grown.rows, 12_000);
  db.exec('DELETE FROM posts WHERE ID % 50 <> 0');
  const shrunk = await count();
  assert.equal(shrunk.rows, 240);
  db.exec("UPDATE posts SET title = 'x' WHERE ID = 50");
  const cutAnew = await count();
  assert.ok(cutAnew.ranges < grown.ranges / 10, `${cutAnew.ranges} of ${grown.ranges}`);
  db.exec('DELETE FROM posts');
  assert.deepEqual(await count(), { rows: 0, ranges: 0 });
  db.exec("INSERT INTO posts VALUES (-5, 'below everything')");
  assert.deepEqual(await count(), { rows: 1, ranges: 1 });
});

test('with hints only the named paths are looked at, and what was fresh before', async (t) => {
  const { site, archiver } = makeSite(t);
  // What is younger than two seconds is looked at in any case.
  await sleep(2_100);
  await archiver.snapshot();
  writeFileSync(join(site, 'uploads/1.txt'), 'changed and named');
  writeFileSync(join(site, 'uploads/2.txt'), 'changed and not named');
  mkdirSync(join(site, 'new/deep'), { recursive: true });
  writeFileSync(join(site, 'new/deep/file'), 'in a new folder');
  rmSync(join(site, 'uploads/3.txt'));
  const changedPaths = ['uploads/1.txt', 'new/deep/file', 'uploads/3.txt', 'no/such/path'];
  const hinted = await archiver.snapshot({ changedPaths });
  assert.equal(hinted.snapshot.fileCount, 30);
  // The second change of a file within moments, of the same length, is found without a new hint.
  writeFileSync(join(site, 'uploads/1.txt'), 'CHANGED AND NAMED');
  assert.equal((await archiver.snapshot({ changedPaths: [] })).isNew, true);
  assert.equal((await archiver.snapshot()).isNew, true, 'the walk finds what nobody named');
  assert.equal((await archiver.snapshot()).isNew, false);
});

test('links are stored as links, and what is no file is told with a reason', async (t) => {
  const { site, repository, archiver } = makeSite(t);
  symlinkSync('/etc', join(site, 'link'));
  execFileSync('mkfifo', [join(site, 'pipe')]);
  execFileSync('bash', ['-c', `printf x > $'${site}/bad\\xffname'`]);
  const { snapshot } = await archiver.snapshot();
  const entries = await readTree(repository, snapshot.files as string);
  assert.deepEqual(
    entries.find(({ name }) => name === 'link'),
    { kind: 'link', name: 'link', target: '/etc' },
  );
  const reasons = Object.fromEntries(snapshot.filesSkipped.map(({ name, reason }) => [name, reason]));
  assert.equal(reasons.pipe, 'it is no file, folder or link');
  assert.equal(reasons['bad\ufffdname'], 'its name is not UTF-8');
  assert.equal((await archiver.snapshot()).isNew, false);
});

test('a folder that a link replaced is not entered, not even between two looks', async (t) => {
  const { folder, site, archiver } = makeSite(t);
  mkdirSync(join(folder, 'foreign/inner'), { recursive: true });
  writeFileSync(join(folder, 'foreign/inner/secret'), 'of another site');
  mkdirSync(join(site, 'mine/inner'), { recursive: true });
  await archiver.snapshot();
  renameSync(join(site, 'mine'), join(site, 'moved'));
  symlinkSync(join(folder, 'foreign'), join(site, 'mine'));
  assert.throws(() => anchorFolder(site, 'mine/inner'), { code: 'ENOTDIR' });
  assert.throws(() => anchorFolder(site, 'mine'), { code: /ENOTDIR|ELOOP/ });
  // The hint makes the walk go straight into the folder, as if it had been replaced after the look.
  const { snapshot } = await archiver.snapshot({ changedPaths: ['mine/inner/secret', 'mine', 'moved'] });
  assert.equal(snapshot.fileCount, 30);
});

test('what is excluded is neither stored nor told', async (t) => {
  const { site, archiver } = makeSite(t, { isExcluded: (path) => path === 'uploads/database' });
  mkdirSync(join(site, 'uploads/database'));
  writeFileSync(join(site, 'uploads/database/.ht.sqlite'), 'x');
  const { snapshot } = await archiver.snapshot();
  assert.equal(snapshot.fileCount, 30);
  assert.deepEqual(snapshot.filesSkipped, []);
  appendFileSync(join(site, 'uploads/database/.ht.sqlite'), 'more');
  assert.equal((await archiver.snapshot()).isNew, false);
});

test('after a restart nothing is stored again, and an unchanged site is no new snapshot', async (t) => {
  const { repository, site, folder, archiver } = makeSite(t, { rows: 2000 });
  const first = await archiver.snapshot();
  await archiver.remember();
  const tables = new SqliteSource(join(folder, 'site.sqlite'));
  const second = new Archiver({ repository, folder: site, tables });
  const again = await second.snapshot();
  assert.equal(again.isNew, false);
  assert.equal(again.id.hash, first.id.hash);
  writeFileSync(join(site, 'new.txt'), 'new');
  const third = await second.snapshot();
  assert.ok(third.storedBytes < 10_000);
  assert.deepEqual(third.snapshot.tablesSaved, []);
});

test('with a state file a restart reads no file again, and a broken one only costs time', async (t) => {
  const { repository, site, folder } = makeSite(t);
  const stateFile = join(folder, 'state.json');
  const make = () => new Archiver({ repository, folder: site, stateFile });
  await sleep(2_100);
  const first = make();
  const { id } = await first.snapshot();
  await first.remember();
  const state = readFileSync(stateFile, 'latin1');
  writeFileSync(stateFile, state.slice(0, 500), 'latin1');
  const second = make();
  assert.equal((await second.snapshot()).id.hash, id.hash);
  await second.remember();
  // A lie in the state shows who believes it: the file itself is not looked into.
  writeFileSync(stateFile, state.replaceAll(hashOf('content 3'), hashOf('content 4')), 'latin1');
  writeFileSync(join(site, 'uploads/new.txt'), 'new');
  const { snapshot } = await make().snapshot();
  const uploads = (await readTree(repository, snapshot.files as string)).find(({ name }) => name === 'uploads');
  const entries = await readTree(repository, (uploads as { ref: string }).ref);
  assert.equal((entries.find(({ name }) => name === '3.txt') as { ref: string }).ref, hashOf('content 4'));
});

test('a snapshot says how many files it added, changed and removed, also after a restart', async (t) => {
  const { repository, site, archiver } = makeSite(t);
  const first = await archiver.snapshot();
  assert.deepEqual(first.changes, {
    filesAdded: 30,
    filesChanged: 0,
    filesRemoved: 0,
    bytes: first.snapshot.fileBytes,
  });
  const change = (round: string) => {
    mkdirSync(join(site, round));
    writeFileSync(join(site, `${round}/new.txt`), '12345');
    symlinkSync('new.txt', join(site, `${round}/link`));
    writeFileSync(join(site, 'uploads/1.txt'), `changed ${round}`);
    // Another time alone brings no bytes.
    utimesSync(join(site, 'uploads/2.txt'), 1_600_000_000, 1_600_000_000 + round.length);
    rmSync(join(site, `uploads/${round.length}.txt`));
  };
  change('second');
  const second = await archiver.snapshot();
  assert.deepEqual(second.changes, { filesAdded: 2, filesChanged: 2, filesRemoved: 1, bytes: 5 + 14 });
  assert.deepEqual((await archiver.snapshot()).changes.filesChanged, 0);
  change('third');
  // A folder in the place of a file, with a file in it.
  rmSync(join(site, 'uploads/9.txt'));
  mkdirSync(join(site, 'uploads/9.txt'));
  writeFileSync(join(site, 'uploads/9.txt/inner'), '1');
  const { changes } = await new Archiver({ repository, folder: site }).snapshot();
  assert.deepEqual(changes, { filesAdded: 3, filesChanged: 2, filesRemoved: 2, bytes: 5 + 13 + 1 });
});

test('a snapshot tells how far it is, and in the end all of each step', async (t) => {
  const { archiver } = makeSite(t);
  const told: Progress[] = [];
  const { snapshot, storedBytes } = await archiver.snapshot({ onProgress: (progress) => told.push(progress) });
  assert.deepEqual(ends(told), [
    { step: 'reading', files: 30, bytes: snapshot.fileBytes, tables: 0 },
    { step: 'tables', files: 0, bytes: 0, tables: 2, tablesTotal: 2 },
    // Files that were written just now are read again.
    { step: 'verifying', files: 30, bytes: snapshot.fileBytes, tables: 0 },
    { step: 'writing', files: 0, bytes: storedBytes, tables: 0 },
  ]);
});
