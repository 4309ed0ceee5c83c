import assert from 'node:assert/strict';
import { before, suite, test } from 'node:test';
import { sql } from 'kysely';
import type { Route, SiteUsage } from '#edge/route.ts';
import type { Operations } from '#sdk';
import { type Person, registerPerson } from '#testkit/app/people.ts';
import { sharedApp } from '#testkit/app/shared-app.ts';
import { CMS, holdSite, newFqdn, newSite, putOnPlan } from '#testkit/app/sites.ts';
import type { TestApp } from '#testkit/app/test-app.ts';
import { eventually } from '#testkit/expect.ts';
import { siteReports, subscribeToPurges } from './edge-reports.ts';
import { siteRoutes } from './edge-routes.ts';

let app: TestApp;
before(async () => {
  app = await sharedApp();
});

async function ownerOfMany(): Promise<Person> {
  const person = await registerPerson(app, 'Owner');
  await putOnPlan(app, person.teamId, 'starter');
  return person;
}

const usageOf = (site: { id: string; team_id: string }, more: Partial<SiteUsage> = {}): SiteUsage => ({
  siteId: site.id,
  teamId: site.team_id,
  visits: 1,
  requests: 10,
  bytes: 1000,
  cachedBytes: 400,
  cacheHits: 4,
  cacheMisses: 6,
  cacheObjects: 3,
  cacheBytes: 3000,
  lastVisitAt: new Date(),
  errors: 0,
  durations: [],
  pages: 0,
  pagesFailedLast: 0,
  ...more,
});

suite('the routes of the edge', () => {
  test('say all that a visit needs, for each state of the site and its team', async () => {
    const owner = await ownerOfMany();
    const routes = siteRoutes(app.services);
    const { db } = app.services;
    const site = await newSite(owner);
    const load = async () => (await routes.load([site.id]))[0] as Route;
    const first = await load();
    assert.equal(first.fqdn, site.fqdn);
    assert.equal(first.state, 'ready');
    assert.equal(first.site.url, site.properties.url);
    assert.equal(first.signIn, null);
    assert.equal(first.allowedAddresses, null);
    const { host, driver, coreVersion } = first.site;
    assert.deepEqual({ host, driver }, app.services.config.newSites);
    assert.equal(coreVersion, site.properties.core_version);
    assert.ok(first.site.accessKey.length >= 40);

    const params = { fqdn: site.fqdn };
    const firewall = { cdn_firewall_enabled: true, cdn_firewall_allowed_ips: ['192.0.2.7'] };
    await owner.api.updateSite({ params, body: { http_auth_enabled: true, cdn_dev_mode_enabled: true, ...firewall } });
    await owner.api.createExternalPath({ params, body: { path: '/shop', external_name: 'https://shop.example.com/' } });
    const changed = await load();
    assert.deepEqual(changed.signIn, { username: 'admin', password: site.http_auth_password });
    assert.deepEqual(changed.allowedAddresses, ['192.0.2.7']);
    assert.deepEqual(changed.externalPaths, [{ path: '/shop', target: 'https://shop.example.com/' }]);
    assert.equal(changed.devMode, true);

    const setSite = (change: object) => db.updateTable('sites').set(change).where('id', '=', site.id).execute();
    const setTeam = (change: object) => db.updateTable('teams').set(change).where('id', '=', owner.teamId).execute();
    const states: [change: () => Promise<unknown>, state: string][] = [
      [() => setSite({ is_sleeping: true }), 'asleep'],
      [() => holdSite(app, site.id, 'updating', site.id), 'held'],
      [
        () => db.updateTable('site_holds').set({ kind: 'creating' }).where('site_id', '=', site.id).execute(),
        'creating',
      ],
      [() => setTeam({ is_expired: true }), 'expired'],
      [() => setTeam({ is_active: false }), 'suspended'],
    ];
    for (const [change, state] of states) {
      await change();
      assert.equal((await load()).state, state);
    }
    assert.ok((await routes.loadAll()).some(({ fqdn }) => fqdn === site.fqdn));
  });

  test('are announced with every change of what they are made of, and with nothing else', async () => {
    const owner = await ownerOfMany();
    const heard: (string | undefined)[] = [];
    app.services.siteChanges.subscribe((siteId) => heard.push(siteId));
    const told = async (siteId: string, act: () => Promise<unknown>) => {
      heard.length = 0;
      await act();
      await eventually(async () => heard.includes(siteId));
    };
    const site = await owner.api.createSite({ wait: 60, body: { ...CMS, fqdn: newFqdn(), team_id: owner.teamId } });
    assert.ok(heard.includes(site.id));
    const params = { fqdn: site.fqdn };
    await told(site.id, () => owner.api.updateSite({ params, body: { http_auth_enabled: true } }));
    const path = { path: '/shop', external_name: 'https://shop.example.com/' };
    await told(site.id, () => owner.api.createExternalPath({ params, body: path }));
    await told(site.id, () => owner.api.sleepSite({ wait: 60, params }));
    const teams = app.services.db.updateTable('teams').where('id', '=', owner.teamId);
    await told(site.id, () => teams.set({ is_active: false }).execute());
    await told(site.id, () => teams.set({ is_active: true }).execute());

    // Notifications arrive in the order of their commits, so none of the changes above is still on its way after this one.
    const marker = await newSite(owner);
    await eventually(async () => heard.includes(marker.id));
    heard.length = 0;
    await siteReports(app.services).usage([usageOf(site)]);
    await owner.api.updateTeam({ params: { team_id: owner.teamId }, body: { name: 'Another' } });
    const other = await newSite(owner);
    await eventually(async () => heard.includes(other.id));
    assert.ok(!heard.includes(site.id), 'counting announced a change of the route');

    await told(site.id, () => owner.api.deleteSite({ params }));
    assert.deepEqual(await siteRoutes(app.services).load([site.id]), []);
  });

  test('pages that changed are told to every edge', async () => {
    const purged: string[] = [];
    await subscribeToPurges(app.services, (siteId) => purged.push(siteId));
    siteReports(app.services).purged('a site');
    await eventually(async () => purged.includes('a site'));
  });
});

suite('what the edge reports', () => {
  test('is added to the site, its team and its hour, and nothing is lost between edges', async () => {
    const owner = await ownerOfMany();
    const [a, b] = [await newSite(owner), await newSite(owner)];
    const reports = siteReports(app.services);
    const gone = { id: '00000000-0000-4000-8000-000000000000', team_id: owner.teamId };
    const flush = [usageOf(a), usageOf(b, { visits: 2 }), usageOf(gone)];
    await Promise.all(Array.from({ length: 20 }, (_, at) => reports.usage(at % 2 ? flush : flush.toReversed())));
    const team = await owner.api.getTeam({ params: { team_id: owner.teamId } });
    assert.equal(team.current_cycle_visits, 80);
    assert.equal(team.current_cycle_bandwidth, 60_000);
    const site = await owner.api.getSiteCdn({ params: { fqdn: b.fqdn } });
    assert.equal(site.current_cycle_visits, 40);
    assert.equal(site.current_cycle_bandwidth, 20_000);
    const cdn = site.properties.cdn as Record<string, unknown>;
    assert.equal(cdn.cache_hit_ratio, 0.4);
    assert.equal(cdn.bandwidth_saved, 8000);
    assert.equal(cdn.cache_objects, 3);
    const usage = await owner.api.getSiteUsage({ params: { fqdn: a.fqdn } });
    const sum = (name: 'visits' | 'requests' | 'cache_hits') =>
      usage.points.reduce((total, point) => total + point[name], 0);
    assert.deepEqual([sum('visits'), sum('requests'), sum('cache_hits')], [20, 200, 80]);
    await reports.usage([]);
  });

  test('says how a site can be reached: what a visitor meets first, and failing after three failed pages in a row', async () => {
    const owner = await ownerOfMany();
    const site = await newSite(owner);
    const params = { fqdn: site.fqdn };
    const reports = siteReports(app.services);
    const answered = (pages: number, pagesFailedLast: number, durations: number[] = []) =>
      reports.usage([usageOf(site, { pages, pagesFailedLast, durations, errors: pagesFailedLast })]);
    const state = async () => (await owner.api.getSite({ params })).reachability.state;
    const change = (body: Operations['updateSite']['input']['body']) =>
      owner.api.updateSite({ params, body: body ?? {} });
    assert.equal(await state(), 'live');
    await answered(5, 2, [0, 90]);
    assert.equal(await state(), 'live');
    await answered(1, 1, [0, 0, 0, 0, 0, 0, 0, 0, 0, 10]);
    const { reachability } = await owner.api.getSite({ params });
    assert.equal(reachability.state, 'failing');
    assert.ok(Date.parse(reachability.since as string) <= Date.now());
    await sql`insert into site_usage (site_id, hour, visits, durations)
      values (${site.id}, date_trunc('hour', now()) - interval '2 hours', 1, array[0, 9000])`.execute(app.services.db);
    const usage = await owner.api.getSiteUsage({ params });
    const hour = usage.points.at(-1);
    assert.deepEqual([hour?.errors, hour?.p95_ms, usage.p95_ms], [3, 768, 4], 'one slow hour is not the whole day');
    await change({ cdn_firewall_enabled: true, cdn_firewall_allowed_ips: ['192.0.2.7'] });
    const blocked = (await owner.api.getSite({ params })).reachability;
    assert.equal(blocked.state, 'protected');
    assert.match(blocked.reason ?? '', /one address and nobody else/);
    await change({ cdn_firewall_enabled: false, http_auth_enabled: true });
    assert.equal(await state(), 'protected');
    await change({ http_auth_enabled: false });
    await answered(1, 0);
    assert.equal(await state(), 'live');
    await owner.api.sleepSite({ wait: 60, params });
    assert.equal(await state(), 'asleep');
    assert.equal((await owner.api.wakeSite({ params })).reachability.state, 'live');
    const { db } = app.services;
    await db.updateTable('sites').set({ fqdn: 'reach.example.org' }).where('id', '=', site.id).execute();
    await db.updateTable('site_names').set({ fqdn: 'reach.example.org' }).where('site_id', '=', site.id).execute();
    const listed = (await owner.api.listSites({ query: { search: 'reach.example.org' } })).results[0];
    assert.equal(listed?.reachability.state, 'dns_pending');
    await db.updateTable('teams').set({ is_expired: true }).where('id', '=', owner.teamId).execute();
    const stopped = await owner.api.getSite({ params: { fqdn: 'reach.example.org' } });
    assert.equal(stopped.reachability.state, 'stopped');
  });

  test('a cleared cache is told to every edge', async () => {
    const owner = await ownerOfMany();
    const { id, fqdn } = await newSite(owner);
    const purged: string[] = [];
    await subscribeToPurges(app.services, (siteId) => purged.push(siteId));
    await owner.api.clearSiteCache({ params: { fqdn } });
    await eventually(async () => purged.includes(id));
  });

  test('a visit wakes a sleeping site once, however many come', async () => {
    const owner = await ownerOfMany();
    const { fqdn, id } = await newSite(owner);
    const params = { fqdn };
    const asleep = await owner.api.sleepSite({ wait: 60, params });
    assert.equal(asleep.is_sleeping, true);
    assert.equal((await owner.api.sleepSite({ params })).is_sleeping, true);
    const reports = siteReports(app.services);
    await Promise.all([reports.woke(id), reports.woke(id), reports.woke(id)]);
    assert.equal((await owner.api.getSite({ params })).is_sleeping, false);
    const events = await owner.api.listSiteEvents({ params });
    const types = events.results.map(({ event_type }) => event_type);
    assert.deepEqual(types, ['site.woke', 'site.slept', 'site.created']);
    assert.ok(events.results.every(({ finished_at }) => finished_at !== null));
  });
});
