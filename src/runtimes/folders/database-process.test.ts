import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { pause } from '../../../test/pause.ts';
import { SiteDatabaseProcess } from './database-process.ts';

test('whoever asks while PHP commits waits, also where the file is opened in that moment', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'siteyard-database-'));
  const file = join(folder, 'site.sqlite');
  const php = new DatabaseSync(file);
  t.after(() => rm(folder, { recursive: true }));
  t.after(() => php.close());
  php.exec("create table wp_options (name); insert into wp_options values ('a'); begin exclusive");
  const database = new SiteDatabaseProcess(file);
  t.after(() => database.close());
  const answer = database.query('select name from wp_options');
  // By now the process has opened the file, on most machines; the answer is the same on all.
  await Promise.race([answer, pause(1_500)]);
  php.exec("insert into wp_options values ('b'); commit");
  assert.deepEqual(await answer, [{ name: 'a' }, { name: 'b' }]);
});
