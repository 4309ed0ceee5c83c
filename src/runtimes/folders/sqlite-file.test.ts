import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { scratchFolder } from '#testkit/snapshots/scratch.ts';
import { SqliteFile } from './sqlite-file.ts';

test('a site that moves keeps every byte but its addresses, and what names it otherwise is not written', async (t) => {
  const path = join(scratchFolder(t), 'site.sqlite');
  const db = new DatabaseSync(path);
  t.after(() => db.close());
  db.exec(`create table wp_options (option_name text primary key, option_value text, written integer default 0);
    create trigger told after update on wp_options begin update wp_options set written = 1 where option_name = new.option_name; end`);
  const add = (name: string, value: string, encoding: 'latin1' | 'utf8' = 'utf8') =>
    db
      .prepare('insert into wp_options (option_name, option_value) values (?, cast(? as text))')
      .run(name, Buffer.from(value, encoding));
  add('home', 'https://old.example');
  add('umlaut', 'Gr\xfc\xdfe https://old.example/a', 'latin1');
  add('hidden', 'O:1:"A":1:{s:4:"\0*\0b";s:21:"https://old.example/x";}');
  add('mail', 'info@old.example \xfc', 'latin1');
  const file = new SqliteFile(path);
  await file.moveTo('https://new-one.example');
  file.close();
  const rows = db.prepare('select option_name, cast(option_value as blob) as value, written from wp_options').all();
  const found = rows.map(({ option_name, value, written }) => {
    return [option_name, Buffer.from(value as Uint8Array).toString('latin1'), written];
  });
  assert.deepEqual(found, [
    ['home', 'https://new-one.example', 1],
    ['umlaut', 'Gr\xfc\xdfe https://new-one.example/a', 1],
    ['hidden', 'O:1:"A":1:{s:4:"\0*\0b";s:25:"https://new-one.example/x";}', 1],
    ['mail', 'info@old.example \xfc', 0],
  ]);
});
