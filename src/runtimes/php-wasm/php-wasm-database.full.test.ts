import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, it } from 'node:test';
import { sqliteFileOf } from '#runtimes/folders/site-folder.ts';
import type { Runtime, SiteSpec } from '#runtimes/runtime.ts';
import { createSite, putProbe, request } from '#testkit/contracts/contract-site.ts';
import { askDatabase, describeDatabase } from '#testkit/contracts/database.contract.ts';
import { openTestRuntime } from '#testkit/drivers/wordpress-cache.ts';

const open = () => openTestRuntime({ requestTimeoutMs: 60_000 });

describeDatabase('PHP in WebAssembly', open);

describe('SQLite under WordPress', () => {
  let runtime: Runtime;
  let site: SiteSpec;
  let close = async () => {};
  before(async () => {
    ({ runtime, close } = await open());
    site = await createSite(runtime, 'lacking.localhost');
  });
  after(() => close());

  it('says in the log what a plugin asked for and SQLite lacks, once a request, and nothing of other failures', async () => {
    const theme = join(runtime.contentFolder(site.id), 'themes', 'bright');
    await mkdir(theme, { recursive: true });
    await writeFile(join(theme, 'views.php'), '<?php $wpdb->query("create view v as select 1");');
    const path = await putProbe(
      runtime,
      site,
      'lacking.php',
      `require '/site/wordpress/wp-load.php';
      ini_set('error_log', __DIR__ . '/log');
      $wpdb->suppress_errors(true);
      for ($n = 0; $n < 3; $n++) $wpdb->query("select * from wp_posts where match(post_title) against ('hello' in boolean mode)");
      $wpdb->query('select soundex_of_mine(1)');
      $wpdb->query('show processlist');
      $wpdb->query('select @n := 1');
      $wpdb->query('select * from nowhere');
      $wpdb->query('this is no query');
      $wpdb->query("insert into wp_options (option_id, option_name, option_value) values (1, 'match against', 'create view')");
      include WP_CONTENT_DIR . '/themes/bright/views.php';
      echo preg_replace('/^\\[.*?\\] /m', '', file_get_contents(__DIR__ . '/log'));`,
    );
    const { text } = await request(runtime, site, { path });
    const lacks = 'which the embedded database lacks; the production driver has it';
    assert.deepEqual(text.trim().split('\n'), [
      `plugin probe asked for FULLTEXT, ${lacks}`,
      `plugin probe asked for the function SOUNDEX_OF_MINE, ${lacks}`,
      `plugin probe asked for SHOW PROCESSLIST, ${lacks}`,
      `plugin probe asked for variables that a query sets, ${lacks}`,
      `theme bright asked for views, ${lacks}`,
    ]);
  });

  it('leaves nothing of its own in the database or beside it', async () => {
    const file = sqliteFileOf(runtime.storage(site.id));
    const look = () => {
      const database = new DatabaseSync(file, { readOnly: true });
      const tables = database.prepare("select name from sqlite_schema where type = 'table' order by name").all();
      database.close();
      return { tables, files: readdirSync(dirname(file)).sort() };
    };
    const ask = await askDatabase(runtime, site);
    await ask('select 1');
    const clean = look();
    const made = await ask('create table some like wp_posts', 'rename table some to other');
    const locked = await ask('drop table other', "select get_lock('kept', 1)", "select get_lock('given back', 1)");
    const released = await ask("select get_lock('given back', 1)", "select release_lock('given back')");
    for (const { error } of [...made, ...locked, ...released]) assert.equal(error, '');
    assert.deepEqual(look(), clean);
  });
});
