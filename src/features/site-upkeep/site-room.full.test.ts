import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { sql } from 'kysely';
import { PLANS } from '#features/plan/plan.ts';
import { type Person, registerPerson } from '#testkit/app/people.ts';
import { siteOnDisk } from '#testkit/app/site-changes.ts';
import { newSite } from '#testkit/app/sites.ts';
import { startTestApp, type TestApp } from '#testkit/app/test-app.ts';
import { visit } from '#testkit/clients/visit.ts';
import { eventually } from '#testkit/expect.ts';

const MB = 1024 * 1024;

/** What somebody does who has PHP in hand. */
const WRITER = `<?php
$folder = WP_CONTENT_DIR . '/uploads';
@mkdir($folder);
if (isset($_GET['fill'])) {
  $piece = str_repeat('x', 1048576);
  $wrote = 0;
  for ($n = 0; $n < 50; $n++) $wrote += @file_put_contents("$folder/$n.bin", $piece) === 1048576 ? 1 : 0;
  exit("wrote $wrote");
}
if (isset($_GET['deep'])) {
  $made = 0;
  $path = $folder;
  for ($n = 0; $n < 150; $n++) $made += @mkdir($path = "$path/d") ? 1 : 0;
  exit("made $made");
}
if (isset($_GET['tidy'])) {
  array_map('unlink', glob("$folder/*.bin"));
  update_option('tidied', 'yes');
  $left = count(glob("$folder/*.bin"));
  $file = fopen("$folder/hole.bin", 'w');
  exit("left $left " . get_option('tidied') . ($file && ftruncate($file, 1 << 30) ? ' cut' : ' refused'));
}
`;

suite('how much PHP may add to a site', () => {
  let app: TestApp;
  let owner: Person;
  before(async () => {
    app = await startTestApp({ runtime: 'php-wasm' });
    owner = await registerPerson(app, 'Owner');
  });
  after(() => app?.close());

  const usedBytes = async (bytes?: number) => {
    const { db } = app.services;
    if (bytes !== undefined)
      await sql`update teams set storage_usage = ${bytes} where id = ${owner.teamId}`.execute(db);
    const { rows } = await sql<{
      storage_usage: number;
    }>`select storage_usage from teams where id = ${owner.teamId}`.execute(db);
    return rows[0]?.storage_usage as number;
  };

  test('a little more than the plan has: then the write fails, and nothing else of the site; nor are folders too deep', async () => {
    const site = await newSite(owner);
    const ask = async (what: string) => (await visit(app, site.fqdn, `/?${what}=${Math.random()}`)).text;
    await app.runtime.stop(site.id);
    await siteOnDisk(app, site.id).write('mu-plugins/writer.php', WRITER);
    // Of the 64 MB that a site may have beyond its plan 36 MB are left: enough for the site to be measured.
    const used = await usedBytes(PLANS.free.storage_bytes + 28 * MB);
    await ask('hello');
    const wrote = Number((await ask('fill')).replace('wrote ', ''));
    assert.ok(wrote >= 20 && wrote <= 36, `${wrote} MB where 36 MB were left`);
    await eventually(async () => (await usedBytes()) > used);
    // The same files once more: how many of these depends on the moment at which the site is measured, and without a limit it would be 50.
    const again = Number((await ask('fill')).replace('wrote ', ''));
    assert.ok(again <= 36, `${again} MB the second time`);
    assert.equal(
      await ask('tidy'),
      'left 0 yes refused',
      'what is there can be deleted, the database takes that, and no file is larger than what is left',
    );
    const made = Number((await ask('deep')).replace('made ', ''));
    assert.ok(made > 50 && made < 100, `${made} folders in one another`);
  });
});
