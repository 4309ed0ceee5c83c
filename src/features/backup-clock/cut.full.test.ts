import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, test } from 'node:test';
import { spaceOf } from '#features/backup/backup.ts';
import type { Backup } from '#sdk';
import { registerPerson } from '#testkit/app/people.ts';
import { siteOnDisk } from '#testkit/app/site-changes.ts';
import { newSite } from '#testkit/app/sites.ts';
import { startTestApp, type TestApp } from '#testkit/app/test-app.ts';
import { visit } from '#testkit/clients/visit.ts';

let app: TestApp;
before(async () => {
  app = await startTestApp({ runtime: 'php' });
});
after(() => app?.close());

/** Counts in the database and then in a file, so that at every instant the file is as far as the database or one behind. */
const COUNTER = `<?php
if (isset($_GET['count'])) {
  for ($n = 0; $n < 25; $n++) {
    $next = 1 + (int) get_option('counter');
    update_option('counter', $next);
    file_put_contents(WP_CONTENT_DIR . '/uploads/counter.new', $next);
    rename(WP_CONTENT_DIR . '/uploads/counter.new', WP_CONTENT_DIR . '/uploads/counter.txt');
    usleep(4000);
  }
  exit('counted to ' . $next);
}
`;

const ENOUGH = 3;

test('files and database of a backup belong together while the site is being written to, and no write fails', async () => {
  const owner = await registerPerson(app, 'Owner');
  const site = await newSite(owner);
  const disk = siteOnDisk(app, site.id);
  await disk.write('mu-plugins/counter.php', COUNTER);
  await disk.write('uploads/counter.txt', '0');
  let isCounting = true;
  const answers: string[] = [];
  const listBackups = async () =>
    (await owner.api.getBackups({ params: { fqdn: site.fqdn }, query: { number_to_fetch: 1000 } })) as Backup[];
  const listConsistent = async () => (await listBackups()).filter(({ is_consistent }) => is_consistent);
  const counting = (async () => {
    // On a slow machine it takes longer until there are some to look at.
    for (let n = 0; n < 5 || (n < 50 && (await listConsistent()).length < ENOUGH); n++)
      answers.push((await visit(app, site.fqdn, `/?count=${n}`)).text);
    isCounting = false;
  })();
  while (isCounting) await disk.keep();
  await counting;
  assert.deepEqual(
    answers,
    answers.map((_, n) => `counted to ${25 * (n + 1)}`),
    'nothing got lost',
  );

  const consistent = await listConsistent();
  assert.ok(consistent.length >= ENOUGH, `${consistent.length} of ${(await listBackups()).length} are consistent`);
  const scratch = await mkdtemp(join(tmpdir(), 'siteyard-cut-'));
  const space = await spaceOf(app.services.db, site.id);
  const from = { space, site: site.id, now: app.runtime.storage(site.id) };
  const distances = new Map<number, number>();
  for (const { commit_hash, created_at } of consistent.slice(0, 10)) {
    const into = {
      content: join(scratch, 'content'),
      database: { kind: 'sqlite' as const, file: join(scratch, 'db') },
      state: join(scratch, 'state'),
    };
    await app.timeMachine.copy(from, { hash: commit_hash, timeMs: Date.parse(created_at) }, into);
    const database = new DatabaseSync(into.database.file);
    const row = database.prepare("select option_value from wp_options where option_name = 'counter'").get();
    database.close();
    const inFile = Number(await readFile(join(into.content, 'uploads/counter.txt'), 'utf8').catch(() => 0));
    const distance = Number(row?.option_value ?? 0) - inFile;
    distances.set(distance, 1 + (distances.get(distance) ?? 0));
  }
  await rm(scratch, { recursive: true });
  assert.ok(
    [...distances.keys()].every((distance) => distance === 0 || distance === 1),
    JSON.stringify([...distances]),
  );
});
