import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { suiteStore } from '#testkit/snapshots/gateway-store.ts';
import { scratchFolder } from '#testkit/snapshots/scratch.ts';
import { Repository } from '../repository.ts';
import { restoreInto } from '../restore/restore-into.ts';
import { SqliteSource } from '../sources/sqlite.ts';
import { SqliteTarget } from '../sources/sqlite-target.ts';
import { Archiver } from './archiver.ts';

/** A site at work, in another process: it counts in a first file, then in the database, then in a last file. */
const WRITER = `
  const { DatabaseSync } = require('node:sqlite');
  const { writeFileSync, renameSync } = require('node:fs');
  const [folder, path] = process.argv.slice(1);
  const db = new DatabaseSync(path, { timeout: 5000 });
  const write = (name, n) => { writeFileSync(folder + '/tmp', String(n)); renameSync(folder + '/tmp', folder + '/' + name); };
  const pause = (ms) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
  for (let n = 1; ; n++) {
    write('first', n);
    db.exec('UPDATE counter SET n = ' + n);
    write('last', n);
    pause(n % 10 === 0 ? 150 : 2);
  }`;

test('files and tables of a snapshot are of one instant, while another process writes both', async (t) => {
  const folder = scratchFolder(t);
  const site = join(folder, 'site');
  mkdirSync(site);
  const path = join(folder, 'site.sqlite');
  const db = new DatabaseSync(path);
  db.exec('CREATE TABLE counter (n INTEGER); INSERT INTO counter VALUES (0)');
  db.close();
  const args = ['--disable-warning=ExperimentalWarning', '-e', WRITER, site, path];
  const writer = spawn(process.execPath, args, { stdio: 'inherit' });
  t.after(() => writer.kill('SIGKILL'));
  while (!existsSync(join(site, 'last'))) await sleep(10);
  const repository = new Repository(suiteStore(folder)).site('ada', 'site');
  const source = new SqliteSource(path);
  const archiver = new Archiver({ repository, folder: site, tables: source, isExcluded: (name) => name === 'tmp' });
  let consistent = 0;
  // On a slow machine it takes more looks until some fall into a pause of the writer.
  for (let round = 0; round < 25 || (round < 500 && consistent <= 5); round++) {
    const { snapshot } = await archiver.snapshot();
    await sleep(40);
    if (!snapshot.isConsistent) continue;
    consistent++;
    const copy = join(folder, `copy${round}`);
    const target = new SqliteTarget(`${copy}.sqlite`);
    await restoreInto(repository, snapshot, { folder: copy, tables: target });
    await target.close();
    const restored = new DatabaseSync(`${copy}.sqlite`);
    const { n } = restored.prepare('SELECT n FROM counter').get() as { n: number };
    restored.close();
    const [first, last] = ['first', 'last'].map((name) => Number(readFileSync(join(copy, name), 'utf8'))) as [
      number,
      number,
    ];
    // At any instant the first is the counter or one ahead of it, the last is the counter or one behind.
    assert.ok(first === n || first === n + 1, `first ${first}, counter ${n}`);
    assert.ok(last === n || last === n - 1, `last ${last}, counter ${n}`);
    assert.ok(first - last <= 1, `first ${first}, last ${last}`);
  }
  assert.ok(consistent > 5, `only ${consistent} are consistent`);
  writer.kill('SIGKILL');
  await once(writer, 'exit');
});
