import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, suite, test } from 'node:test';
import type { SqlValue } from '#runtimes/runtime.ts';
import type { Site } from '#sdk';
import { type Person, registerPerson } from '#testkit/app/people.ts';
import { newSite, putOnPlan } from '#testkit/app/sites.ts';
import { startTestApp, type TestApp } from '#testkit/app/test-app.ts';
import { visit } from '#testkit/clients/visit.ts';
import { putFile } from '#testkit/contracts/contract-site.ts';
import { eventually } from '#testkit/expect.ts';
import { pause } from '#testkit/pause.ts';
import { planSiteWork, runSiteCron } from './site-upkeep.jobs.ts';

/** Needs a real WordPress: its own cron decides what is due and when. */
let app: TestApp;
before(async () => {
  app = await startTestApp({ runtime: 'php' });
});
after(() => app?.close());

async function ownerOn(plan: string): Promise<Person> {
  const person = await registerPerson(app, 'Owner');
  await putOnPlan(app, person.teamId, plan);
  return person;
}

const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000);
const set = (site: Site, change: object) =>
  app.services.db.updateTable('sites').set(change).where('id', '=', site.id).execute();
const read = (site: Site) =>
  app.services.db.selectFrom('sites').selectAll().where('id', '=', site.id).executeTakeFirstOrThrow();
const job = () => ({
  id: 'a test',
  services: app.services,
  signal: new AbortController().signal,
  commit: async () => {},
});
const plan = () => planSiteWork.run({}, job());

/** Work that is due from the first moment, and that leaves a trace. */
const DUE = `<?php
add_action( 'due_work', fn() => update_option( 'due_work', 'done' ) );
add_action( 'init', fn() => get_option( 'due_work' ) || wp_schedule_single_event( time() - 60, 'due_work' ) );
`;

/** A post whose time comes in some seconds. WordPress itself schedules none for within a minute. */
const LATER = `<?php
require '/site/wordpress/wp-load.php';
$id = wp_insert_post( array( 'post_title' => 'Later', 'post_status' => 'future', 'post_date' => '2100-01-01 00:00:00' ) );
$at = time() + 5;
$wpdb->update( $wpdb->posts, array( 'post_date' => gmdate( 'c', $at ), 'post_date_gmt' => gmdate( 'Y-m-d H:i:s', $at ) ), array( 'ID' => $id ) );
wp_clear_scheduled_hook( 'publish_future_post', array( $id ) );
wp_schedule_single_event( $at, 'publish_future_post', array( $id ) );
echo wp_json_encode( compact( 'id', 'at' ) );
`;

async function query(site: Site, sql: string, ...values: SqlValue[]) {
  const database = await app.runtime.database(site.id);
  return database.query(sql, ...values).finally(() => database.close());
}

async function optionOf(site: Site, name: string): Promise<unknown> {
  const rows = await query(site, 'select option_value from wp_options where option_name = ?', name);
  return rows[0]?.option_value;
}

suite("scheduled work of WordPress' own", () => {
  test('runs when it is due, tells when it is due next, and lets a sleeping site sleep on', async () => {
    const owner = await ownerOn('micro');
    const site = await newSite(owner);
    await putFile(app.runtime, site, 'mu-plugins/due.php', DUE);
    await owner.api.sleepSite({ wait: 60, params: { fqdn: site.fqdn } });
    await set(site, { next_cron_at: minutesAgo(1), storage_is_stale: false, storage_measured_at: new Date() });
    await plan();
    const dueNext = async () => (await read(site)).next_cron_at?.getTime() as number;
    const provisional = await dueNext();
    assert.ok(provisional > Date.now() + 3_540_000, 'it would be due again before it is done');
    // At first an hour ahead; then the time that WordPress says, in whole seconds. Its own hourly work may be due at nearly the same time.
    await eventually(async () => (await dueNext()) !== provisional);
    // What the work added or removed is to be measured. That is written behind it, and before the site is put to sleep again.
    await eventually(async () => (await read(site)).storage_is_stale);
    await eventually(async () => app.runtime.awake().every(({ siteId }) => siteId !== site.id));
    assert.equal((await read(site)).is_sleeping, true);
    assert.equal(await optionOf(site, 'due_work'), 'done', 'WordPress was asked, and did nothing');
  });

  test('runs however often the site is visited', async () => {
    const site = await newSite(await ownerOn('micro'));
    await putFile(app.runtime, site, 'mu-plugins/due.php', DUE);
    await eventually(async () => {
      // Each of these visits tells anew that the work is due, and the planner looks after it was told.
      assert.equal((await visit(app, site.fqdn, `/?uncached=${randomUUID()}`)).status, 200);
      await pause(600);
      await plan();
      return (await optionOf(site, 'due_work')) === 'done';
    });
  });

  test('a scheduled post is published at its time with nobody there', async () => {
    const site = await newSite(await ownerOn('micro'));
    await putFile(app.runtime, site, 'plugins/later.php', LATER);
    // What a new WordPress plans for itself is due at once, and the post would wait for the planner to come for that.
    await runSiteCron.run({ siteId: site.id }, job());
    const scheduled = JSON.parse((await visit(app, site.fqdn, '/wp-content/plugins/later.php')).text);
    const { id, at } = scheduled as { id: number; at: number };
    // One look of the planner, before the time has come: it comes but once a minute. Where it came just now, there is nothing to wait for.
    const isTold = async () => Number((await read(site)).next_cron_at) === at * 1000;
    await eventually(async () => (await isTold()) || Date.now() >= at * 1000);
    await plan();
    const post = async () => (await query(site, 'select post_status from wp_posts where ID = ?', id))[0];
    await eventually(async () => (await post())?.post_status === 'publish', 120_000);
    assert.ok(Date.now() >= at * 1000, 'it was published before its time');
  });
});
