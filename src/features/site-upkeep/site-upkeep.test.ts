import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, suite, test } from 'node:test';
import { siteReports, specOf } from '#features/instance/instance.ts';
import { writeStatuses } from '#features/instance/told-by-sites.sql.ts';
import { putFile } from '#runtimes/contract-site.ts';
import { requestSite } from '#runtimes/request.ts';
import type { SqlValue } from '#runtimes/runtime.ts';
import type { Site } from '#sdk';
import { startTestApp, type TestApp } from '../../../test/app.ts';
import { eventually } from '../../../test/expect.ts';
import { pause } from '../../../test/pause.ts';
import { type Person, registerPerson } from '../../../test/people.ts';
import { holdSite, newSite, putOnPlan } from '../../../test/sites.ts';
import { visit } from '../../../test/visit.ts';
import { planSiteWork, runSiteCron } from './site-upkeep.jobs.ts';

let app: TestApp;
before(async () => {
  app = await startTestApp();
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

suite('sleep', () => {
  test('comes to free sites after 15 idle minutes, and to no others', async () => {
    const [free, paid] = [await ownerOn('free'), await ownerOn('micro')];
    const sites = [await newSite(free), await newSite(paid, { is_free: true }), await newSite(paid)] as const;
    const visited = await newSite(await ownerOn('free'));
    const edited = await newSite(await ownerOn('free'));
    const nothing = {
      visits: 0,
      bytes: 1,
      cachedBytes: 0,
      cacheHits: 0,
      cacheMisses: 1,
      cacheObjects: 0,
      cacheBytes: 0,
      errors: 0,
      durations: [],
      pages: 0,
      pagesFailedLast: 0,
    };
    const request = { siteId: edited.id, teamId: edited.team_id, ...nothing, requests: 1, lastVisitAt: null };
    await siteReports(app.services).usage([request]);
    // Each at once, for the clock of the platform may look at any moment.
    const longAgo = { created_at: minutesAgo(60), last_visited_at: null };
    for (const site of sites.slice(1)) await set(site, longAgo);
    await set(edited, { created_at: minutesAgo(60) });
    await set(visited, { ...longAgo, last_visited_at: minutesAgo(14) });
    await set(sites[0], { ...longAgo, last_visited_at: minutesAgo(16) });
    await plan();
    const asleep = await Promise.all([...sites, visited, edited].map(async (site) => (await read(site)).is_sleeping));
    assert.deepEqual(asleep, [true, true, false, false, false]);
    const { results } = await free.api.listSiteEvents({ params: { fqdn: sites[0].fqdn } });
    assert.equal(results[0]?.event_type, 'site.slept');
    assert.equal(results[0]?.user, null);
    await plan();
    assert.equal((await free.api.listSiteEvents({ params: { fqdn: sites[0].fqdn } })).count, 2);
  });

  test('comes to every site of a team that is unpaid or suspended, and says why', async () => {
    for (const [change, why] of [
      [{ is_expired: true }, /its team is unpaid/],
      [{ is_active: false }, /its team is suspended/],
    ] as const) {
      const owner = await ownerOn('micro');
      const site = await newSite(owner);
      await app.services.db.updateTable('teams').set(change).where('id', '=', owner.teamId).execute();
      await plan();
      assert.equal((await read(site)).is_sleeping, true);
      const { results } = await owner.api.listSiteEvents({ params: { fqdn: site.fqdn } });
      assert.match(String(results[0]?.activity), why);
    }
  });

  test('ends the processes of a site at once, and so does work that has the site to itself', async () => {
    const { runtime } = app;
    const site = await newSite(await ownerOn('micro'));
    const isAwake = () => runtime.awake().some(({ siteId }) => siteId === site.id);
    const wake = async () => {
      await requestSite(runtime, specOf(app.services, await read(site)), {
        method: 'GET',
        path: '/',
        timeoutMs: 60_000,
      });
      assert.ok(isAwake());
    };
    for (const retire of [() => set(site, { is_sleeping: true }), () => holdSite(app, site.id)]) {
      await wake();
      await retire();
      await eventually(async () => !isAwake());
    }
  });
});

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
  // Its clock is what these are about, so they have an app with the real one.
  let others: TestApp;
  before(async () => {
    others = app;
    app = await startTestApp({ runtime: 'php' });
  });
  after(async () => {
    await app.close();
    app = others;
  });

  test('runs when it is due, tells when it is due next, and lets a sleeping site sleep on', async () => {
    const owner = await ownerOn('micro');
    const site = await newSite(owner);
    await putFile(app.runtime, site, 'mu-plugins/due.php', DUE);
    await owner.api.sleepSite({ wait: 60, params: { fqdn: site.fqdn } });
    await set(site, { next_cron_at: minutesAgo(1), storage_is_stale: false, storage_measured_at: new Date() });
    await plan();
    const dueNext = async () => (await read(site)).next_cron_at?.getTime() as number;
    const inAnHour = Date.now() + 3_600_000;
    assert.ok((await dueNext()) > inAnHour - 60_000, 'it would be due again before it is done');
    // At first an hour ahead; then what WordPress says, which has daily and half-daily work of its own.
    await eventually(async () => Math.abs((await dueNext()) - inAnHour) > 60_000, 60_000);
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
    }, 60_000);
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

suite('scheduled work', () => {
  test('that finds its site busy is not put off for longer than that', async () => {
    const site = await newSite(await ownerOn('micro'));
    // As the planner leaves a site whose turn it has taken.
    const inAnHour = new Date(Date.now() + 3_600_000);
    await set(site, { next_cron_at: inAnHour });
    const letGo = await holdSite(app, site.id);
    await runSiteCron.run({ siteId: site.id }, job());
    const dueAt = (await read(site)).next_cron_at as Date;
    assert.ok(dueAt.getTime() <= Date.now());
    await plan();
    assert.deepEqual((await read(site)).next_cron_at, dueAt, 'it was taken while the site is busy');
    await letGo();
    await plan();
    assert.ok(((await read(site)).next_cron_at as Date) > dueAt);
  });

  test('that a site no longer has is not made due by finding it busy', async () => {
    const site = await newSite(await ownerOn('micro'));
    // It told so between the moment its turn was planned and the turn itself.
    await set(site, { next_cron_at: null });
    await holdSite(app, site.id);
    await runSiteCron.run({ siteId: site.id }, job());
    assert.equal((await read(site)).next_cron_at, null);
  });

  test('is not looked for at a suspended team or at a site that is busy', async () => {
    const owner = await ownerOn('micro');
    const [suspended, busy] = [await newSite(await ownerOn('micro')), await newSite(owner)];
    const due = minutesAgo(1);
    await set(suspended, { next_cron_at: due });
    await holdSite(app, busy.id);
    await set(busy, { next_cron_at: due });
    const teams = app.services.db.updateTable('teams').set({ is_active: false });
    await teams.where('id', '=', suspended.team_id).execute();
    await plan();
    assert.deepEqual((await read(suspended)).next_cron_at, due);
    assert.deepEqual((await read(busy)).next_cron_at, due);
  });
});

suite('what sites tell of themselves', () => {
  const tell = (site: Site, faviconUrl: string | null, nextCronAt: Date | null) =>
    writeStatuses(app.services.db, new Map([[site.id, { faviconUrl, title: null, nextCronAt }]]));

  test('an icon is taken from the site itself and from nowhere else', async () => {
    const site = await newSite(await ownerOn('micro'));
    const own = `http://${site.fqdn}:8080/wp-content/uploads/icon.png`;
    await tell(site, own, null);
    assert.equal((await read(site)).favicon_url, own);
    const foreign = [
      'https://tracker.example.com/icon.png',
      `https://${site.fqdn}.example.com/icon.png`,
      `https://tracker.example.com/${site.fqdn}`,
      `https://${site.fqdn}@tracker.example.com/icon.png`,
      `https://x@${site.fqdn}/icon.png`,
      `javascript:https://${site.fqdn}/`,
    ];
    for (const icon of foreign) {
      await tell(site, own, null);
      await tell(site, icon, null);
      assert.equal((await read(site)).favicon_url, null, icon);
    }
  });

  test('work that is overdue is due from the moment that the platform heard of it, and none where there is none', async () => {
    const site = await newSite(await ownerOn('micro'));
    const tomorrow = new Date(Date.now() + 86_400_000);
    await tell(site, null, tomorrow);
    assert.deepEqual((await read(site)).next_cron_at, tomorrow);
    await tell(site, null, minutesAgo(5));
    // Nobody gets in front of others by telling of work that is years old, and nobody loses their place by telling again.
    const heard = (await read(site)).next_cron_at as Date;
    assert.ok(Math.abs(heard.getTime() - Date.now()) < 30_000);
    await tell(site, null, minutesAgo(5));
    assert.deepEqual((await read(site)).next_cron_at, heard);
    await tell(site, null, tomorrow);
    assert.deepEqual((await read(site)).next_cron_at, tomorrow);
    await tell(site, null, null);
    assert.equal((await read(site)).next_cron_at, null);
  });

  test('two who write of the same sites in different orders do not lock one another out', async () => {
    const { db } = app.services;
    const site = await newSite(await ownerOn('micro'));
    const row = await read(site);
    const others = Array.from({ length: 300 }, () => ({
      ...row,
      id: randomUUID(),
      fqdn: `${randomUUID()}.example.org`,
    }));
    await db.insertInto('sites').values(others).execute();
    const ids = others.map(({ id }) => id);
    const nothing = { visits: 1, requests: 1, bytes: 1, cachedBytes: 0, cacheHits: 0, cacheMisses: 0 };
    const usage = (siteId: string) => ({
      siteId,
      teamId: row.team_id,
      ...nothing,
      ...{ errors: 0, durations: [], pages: 0, pagesFailedLast: 0 },
      cacheObjects: 0,
      cacheBytes: 0,
      lastVisitAt: null,
    });
    const write = async (at: number) => {
      const order = at % 2 ? ids : ids.toReversed();
      const nextCronAt = new Date(Date.now() + 86_400_000 + at);
      if (at % 3 === 0) await siteReports(app.services).usage(order.map(usage));
      else await writeStatuses(db, new Map(order.map((id) => [id, { faviconUrl: null, title: null, nextCronAt }])));
    };
    // No more at once than have a connection: who waits for one is refused after a while.
    for (let round = 0; round < 30; round += 6)
      await Promise.all(Array.from({ length: 6 }, (_, index) => write(round + index)));
    await db.deleteFrom('sites').where('id', 'in', ids).execute();
  });
});

test('storage is measured after a site ran, and counted for its team', async () => {
  const owner = await ownerOn('micro');
  const site = await newSite(owner);
  await putFile(app.runtime, site, 'upload.bin', Buffer.alloc(3_000_000, 'x'));
  await set(site, { storage_is_stale: true });
  await plan();
  // Measured a moment ago, when it was created.
  assert.equal((await read(site)).storage_is_stale, true);
  await set(site, { storage_measured_at: minutesAgo(6) });
  await plan();
  const grown = await eventually(async () => {
    const { current_storage } = await owner.api.getSite({ params: { fqdn: site.fqdn } });
    return current_storage > site.current_storage + 2_900_000 && current_storage;
  });
  const team = await owner.api.getTeam({ params: { team_id: owner.teamId } });
  assert.equal(team.storage_usage, grown);
});
