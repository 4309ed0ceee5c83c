import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { chown, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { MariadbDatabases } from '#runtimes/mariadb/mariadb-databases.ts';
import { Sandbox } from '#sandbox/sandbox.ts';
import { testMariadb, withoutMariadb } from '#testkit/drivers/mariadb.ts';
import { pause } from '#testkit/pause.ts';
import { SiteDatabaseProcess } from './database-process.ts';
import { ProgramRoom } from './program-room.ts';

test('whoever asks while PHP commits waits, also where the file is opened in that moment', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'siteyard-database-'));
  const file = join(folder, 'site.sqlite');
  const php = new DatabaseSync(file);
  t.after(() => rm(folder, { recursive: true }));
  t.after(() => php.close());
  php.exec("create table wp_options (name); insert into wp_options values ('a'); begin exclusive");
  const database = new SiteDatabaseProcess({ kind: 'sqlite', file });
  t.after(() => database.close());
  const answer = database.query('select name from wp_options');
  // By now the process has opened the file, on most machines; the answer is the same on all.
  await Promise.race([answer, pause(1_500)]);
  php.exec("insert into wp_options values ('b'); commit");
  assert.deepEqual(await answer, [{ name: 'a' }, { name: 'b' }]);
});

test('what answers without end ends that one process, and hands over little, in a file and on a server', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'siteyard-database-'));
  t.after(() => rm(folder, { recursive: true }));
  const file = join(folder, 'site.sqlite');
  const endless = (
    number: string,
  ) => `create view wp_options as with recursive n (i) as (select 1 union all select i + 1 from n where i < 20000)
    select 'home' as option_name, 'http://a.example' as option_value, ${number} as option_id from n`;
  const php = new DatabaseSync(file);
  php.exec(endless('i'));
  php.close();
  const asked = [new SiteDatabaseProcess({ kind: 'sqlite', file })];
  if (!withoutMariadb) {
    const databases = await MariadbDatabases.open({ access: await testMariadb(), secret: 'endless' });
    const id = randomUUID();
    await databases.create(id);
    t.after(async () => {
      await databases.drop(id);
      await databases.close();
    });
    asked.push(new SiteDatabaseProcess(databases.describe(id)));
    await asked[1]?.query(
      "create view wp_options as select 'home' as option_name, 'http://a.example' as option_value, seq as option_id from seq_1_to_20000",
    );
  }
  for (const database of asked) {
    t.after(() => database.close());
    await assert.rejects(database.query('select * from wp_options'), /too much/);
    // Whoever looks for one thing gets it.
    await database.moveTo('http://a.example');
    assert.deepEqual(await database.query('select 1 as one'), [{ one: 1 }]);
  }
});

test('in the sandbox it is its site and sees nothing but its folder, and nothing is left of it', async (t) => {
  const sandbox = await Sandbox.find();
  if (!(sandbox instanceof Sandbox)) return t.skip(sandbox.missing);
  const folder = await mkdtemp(join(tmpdir(), 'siteyard-database-'));
  t.after(() => rm(folder, { recursive: true }));
  const own = join(folder, 'own');
  await mkdir(own);
  const file = join(own, 'site.sqlite');
  new DatabaseSync(file).exec('create table wp_options (name)');
  const uid = sandbox.uidOf('a site');
  if (sandbox.mode === 'uids') for (const path of [own, file]) await chown(path, uid, uid);
  const room = await ProgramRoom.open(sandbox, join(folder, 'run'));
  const database = new SiteDatabaseProcess({ kind: 'sqlite', file }, room);
  assert.deepEqual(await database.query("insert into wp_options values ('a') returning name"), [{ name: 'a' }]);
  database.close();

  const look = `console.log(JSON.stringify([process.getuid(), ['${folder}', '/data'].map((each) => fs.existsSync(each) && fs.readdirSync(each))]))`;
  const { spawn, leave } = room.enter([own], () => ['-e', look]);
  const said = execFileSync(spawn.file, spawn.args, { env: spawn.env, cwd: '/' }).toString();
  leave();
  assert.deepEqual(JSON.parse(said), [sandbox.mode === 'uids' ? uid : JSON.parse(said)[0], [false, ['0']]]);
  await room.close();
  assert.deepEqual(await readdir(join(folder, 'run')), []);
});
