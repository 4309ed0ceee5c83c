import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, it } from 'node:test';
import { sqliteFileOf } from '#runtimes/folders/site-folder.ts';
import type { Runtime } from '#runtimes/runtime.ts';
import { createSite, request } from './contract-site.ts';

/** What every driver must do when a site's database is broken. A driver's own test opens it and calls this. */
export function describeBrokenDatabases(
  name: string,
  open: (limits: { requestTimeoutMs: number }) => Promise<{ runtime: Runtime; close(): Promise<void> }>,
): void {
  describe(`contract of broken databases: ${name}`, () => {
    let runtime: Runtime;
    let close = async () => {};
    before(async () => {
      ({ runtime, close } = await open({ requestTimeoutMs: 240_000 }));
    });
    after(() => close());

    it('never shows a visitor the installer, however the database is', async () => {
      const broken = await createSite(runtime, 'broken.localhost');
      const file = sqliteFileOf(runtime.storage(broken.id));
      const good = await readFile(file);
      const get = (path: string) => request(runtime, broken, { path });
      const installation = {
        method: 'POST',
        path: '/wp-admin/install.php?step=2',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: 'weblog_title=Mine&user_name=eve&admin_password=password1&admin_password2=password1&pw_weak=1&admin_email=eve%40example.com',
      };
      const doors = [
        '/',
        '/wp-login.php',
        '/wp-admin/',
        '/wp-json/',
        '/wp-admin/install.php',
        '//wp-admin//install.php',
      ];
      const visits = [
        ...[...doors, '/wp-admin/install.php/x', '/wp-admin/setup-config.php?step=1'].map((path) => ({ path })),
        installation,
      ];
      const states: Record<string, () => Promise<void>> = {
        missing: () => rm(file),
        empty: () => truncate(file),
        'without a table': () => rm(file).then(() => changeDatabase(file, 'create table other (id)')),
        'without the tables of WordPress': async () => {
          const tables = await tablesOf(file);
          await changeDatabase(file, tables.map((name) => `drop table "${name}"`).join(';'));
        },
        'without an address': () => changeDatabase(file, "delete from wp_options where option_name = 'siteurl'"),
        'cut off': () => truncate(file, 100_000),
        'no database at all': () => writeFile(file, Buffer.alloc(100_000, 'not a database')),
      };
      for (const [number, [state, spoil]] of Object.entries(states).entries()) {
        await spoil();
        // Every door where it is missing; then the front, the installer, and another of the doors in each state.
        const other = visits[1 + (number % (visits.length - 2))] ?? installation;
        for (const visit of number === 0 ? visits : [{ path: '/' }, other, installation]) {
          const answer = await request(runtime, broken, visit);
          assert.equal(answer.status, 503, `${state}: ${visit.path}`);
          assert.equal(answer.headers.location, undefined);
          assert.match(answer.text, /database is missing or damaged/);
        }
        // Nobody made a new one either.
        if (state === 'missing') assert.equal(existsSync(file), false);
        await rm(`${file}-journal`, { force: true });
        await writeFile(file, good);
      }
      assert.equal((await get('/')).status, 200);
      for (const path of ['/wp-admin/install.php', '/wp-admin/setup-config.php'])
        assert.equal((await get(path)).status, 404);
      assert.equal((await request(runtime, broken, installation)).status, 404);
      await runtime.delete(broken.id);
    });
  });
}

async function tablesOf(file: string): Promise<string[]> {
  const database = new DatabaseSync(file);
  const rows = database.prepare("select name from sqlite_master where type = 'table' and name like 'wp_%'").all();
  database.close();
  return rows.map(({ name }) => String(name));
}

async function changeDatabase(file: string, sql: string): Promise<void> {
  const database = new DatabaseSync(file);
  database.exec(sql);
  database.close();
}
