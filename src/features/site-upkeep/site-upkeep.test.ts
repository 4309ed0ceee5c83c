import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { before, suite, test } from 'node:test';
import { siteReports, specOf } from '#features/instance/instance.ts';
import { writeStatuses } from '#features/instance/told-by-sites.sql.ts';
import { requestSite } from '#runtimes/request.ts';
import type { Site } from '#sdk';
import { markVerified, type Person, registerPerson } from '#testkit/app/people.ts';
import { sharedApp } from '#testkit/app/shared-app.ts';
import { holdSite, newSite, putOnPlan } from '#testkit/app/sites.ts';
import type { TestApp } from '#testkit/app/test-app.ts';
import { putFile } from '#testkit/contracts/contract-site.ts';
import { eventually } from '#testkit/expect.ts';
import { planSiteWork, runSiteCron } from './site-upkeep.jobs.ts';

let app: TestApp;
before(async () => {
  app = await sharedApp();
});

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

  test('waits until the owner of the team has confirmed their address', async () => {
    const owner = await registerPerson(app, 'Unconfirmed', { verified: false });
    const site = await newSite(owner);
    const due = minutesAgo(1);
    await set(site, { next_cron_at: due });
    await plan();
    assert.deepEqual((await read(site)).next_cron_at, due);
    await markVerified(app, owner.email);
    await plan();
    assert.ok(((await read(site)).next_cron_at as Date) > due);
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
