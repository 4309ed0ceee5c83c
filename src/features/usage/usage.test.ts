import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { before, suite, test } from 'node:test';
import type { SiteUsage } from '#edge/route.ts';
import { followUsage } from '#features/billing/billing.jobs.ts';
import { siteReports } from '#features/instance/instance.ts';
import { type Person, registerPerson } from '#testkit/app/people.ts';
import { sharedApp } from '#testkit/app/shared-app.ts';
import { insertSite, putOnPlan } from '#testkit/app/sites.ts';
import type { TestApp } from '#testkit/app/test-app.ts';
import { eventually, refused } from '#testkit/expect.ts';
import { followStorage, moveCycle, startDueCycles, tellReachedLimits } from './usage.ts';

let app: TestApp;
before(async () => {
  app = await sharedApp();
});

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const hourOf = (date: Date) => new Date(Math.floor(date.getTime() / HOUR_MS) * HOUR_MS);
const ago = (ms: number) => new Date(Date.now() - ms);
const setTeam = ({ teamId }: Person, values: Record<string, unknown>) =>
  app.services.db.updateTable('teams').set(values).where('id', '=', teamId).execute();
const teamOf = ({ api, teamId }: Person) => api.getTeam({ params: { team_id: teamId } });

const siteOf = (person: Person) => insertSite(app, person);

const visits = (siteId: string, { teamId }: Person, count: number): SiteUsage => ({
  siteId,
  teamId,
  visits: count,
  requests: count,
  bytes: count * 1000,
  cachedBytes: 0,
  cacheHits: 0,
  cacheMisses: count,
  cacheObjects: 0,
  cacheBytes: 0,
  lastVisitAt: new Date(),
  errors: 0,
  durations: [],
  pages: 0,
  pagesFailedLast: 0,
});

/** What was counted in an hour of the past. */
async function used(person: Person, siteId: string, hour: Date, count: number): Promise<void> {
  const { db } = app.services;
  await db.insertInto('team_usage').values({ team_id: person.teamId, hour, visits: count, bytes: count }).execute();
  await db.insertInto('site_usage').values({ site_id: siteId, hour, visits: count, bytes: count }).execute();
}

test('a site that moved is counted for both of its teams, and once itself', async () => {
  const [before, after] = [await registerPerson(app, 'Before'), await registerPerson(app, 'After')];
  for (const person of [before, after]) await setTeam(person, { cycle_start: ago(DAY_MS) });
  const siteId = await siteOf(after);
  await siteReports(app.services).usage([visits(siteId, before, 3), visits(siteId, after, 4)]);
  assert.deepEqual([(await teamOf(before)).current_cycle_visits, (await teamOf(after)).current_cycle_visits], [3, 4]);
  const { db } = app.services;
  const site = await db.selectFrom('sites').selectAll().where('id', '=', siteId).executeTakeFirstOrThrow();
  const hours = await db.selectFrom('site_usage').selectAll().where('site_id', '=', siteId).execute();
  assert.deepEqual([site.current_cycle_visits, hours.reduce((sum, hour) => sum + hour.visits, 0)], [7, 7]);
});

suite('a new cycle', () => {
  test('begins where the last one ended, and counts what was used since', async () => {
    const owner = await registerPerson(app, 'Cycle');
    const siteId = await siteOf(owner);
    const anchor = hourOf(ago(40 * DAY_MS));
    await setTeam(owner, { cycle_anchor: anchor, cycle_start: anchor, cycle_end: ago(DAY_MS) });
    await used(owner, siteId, ago(20 * DAY_MS), 1000);
    await used(owner, siteId, ago(2 * HOUR_MS), 7);
    await setTeam(owner, { current_cycle_visits: 1007 });
    // However often it runs.
    await Promise.all([startDueCycles(app.services), startDueCycles(app.services)]);
    await startDueCycles(app.services);
    const team = await teamOf(owner);
    assert.ok(Date.parse(String(team.cycle_start)) <= Date.now() && Date.now() < Date.parse(String(team.cycle_end)));
    const inCycle = (date: Date) => date.getTime() >= Date.parse(String(team.cycle_start));
    const expected = (inCycle(ago(20 * DAY_MS)) ? 1000 : 0) + 7;
    assert.deepEqual([team.current_cycle_visits, team.current_cycle_bandwidth], [expected, expected]);
    const site = app.services.db.selectFrom('sites').select('current_cycle_visits').where('id', '=', siteId);
    assert.equal((await site.executeTakeFirstOrThrow()).current_cycle_visits, expected);
  });

  test('that begins within an hour shares it with the last one: every visit is in exactly one', async () => {
    const owner = await registerPerson(app, 'Within');
    const siteId = await siteOf(owner);
    const reports = siteReports(app.services);
    await reports.usage([visits(siteId, owner, 5)]);
    // From now on: the cycle of five minutes ago is over.
    const now = new Date();
    const before = new Date(now);
    before.setUTCMonth(before.getUTCMonth() - 1);
    await setTeam(owner, { cycle_anchor: now, cycle_start: before, cycle_end: now });
    await startDueCycles(app.services);
    assert.equal((await teamOf(owner)).current_cycle_visits, 0);
    await reports.usage([visits(siteId, owner, 3)]);
    assert.equal((await teamOf(owner)).current_cycle_visits, 3);
    // Counting anew finds the same.
    await moveCycleOf(owner);
    assert.equal((await teamOf(owner)).current_cycle_visits, 3);
    const { points } = await owner.api.getTeamUsage({ params: { team_id: owner.teamId } });
    assert.equal(sum(points), 8, 'nothing is lost');
  });

  test('nothing is lost or counted twice while edges report and cycles move', async () => {
    const owner = await registerPerson(app, 'Busy');
    const siteId = await siteOf(owner);
    const reports = siteReports(app.services);
    await Promise.all([
      ...Array.from({ length: 30 }, () => reports.usage([visits(siteId, owner, 1)])),
      ...Array.from({ length: 10 }, () => moveCycleOf(owner)),
    ]);
    await moveCycleOf(owner);
    assert.equal((await teamOf(owner)).current_cycle_visits, 30);
  });

  test('another time zone moves the cycle within a minute', async () => {
    const owner = await registerPerson(app, 'Traveller');
    const anchor = new Date('2026-01-31T20:00:00Z');
    await setTeam(owner, { cycle_anchor: anchor });
    await owner.api.updateTeam({ params: { team_id: owner.teamId }, body: { timezone: 'Pacific/Auckland' } });
    await startDueCycles(app.services);
    const { cycle_start } = await teamOf(owner);
    const local = new Date(String(cycle_start)).toLocaleString('sv-SE', { timeZone: 'Pacific/Auckland' });
    // In Auckland it was nine in the morning of the first of February.
    assert.equal(local.slice(8), '01 09:00:00');
  });
});

const moveCycleOf = ({ teamId }: Person) => app.services.db.transaction().execute((tx) => moveCycle(tx, teamId));
const sum = (points: { visits: number }[]) => points.reduce((total, point) => total + point.visits, 0);

suite('limits of visits, bandwidth and storage', () => {
  const noticesOf = async (owner: Person) => {
    const { results } = await owner.api.listTeamEvents({ params: { team_id: owner.teamId } });
    const told = results.filter(({ event_type }) => event_type === 'billing.limit_reached');
    return told.map(
      ({ detail }) => `${(detail as { resource: string }).resource} ${(detail as { percent: number }).percent}`,
    );
  };

  test('are told at 80 and at 100 percent, once in a cycle, by event and mail', async () => {
    const owner = await registerPerson(app, 'Popular');
    const tell = () => tellReachedLimits(app.services);
    await setTeam(owner, { current_cycle_visits: 7999 });
    await tell();
    assert.deepEqual(await noticesOf(owner), []);
    await setTeam(owner, { current_cycle_visits: 8000 });
    await Promise.all([tell(), tell(), tell()]);
    assert.deepEqual(await noticesOf(owner), ['visits 80']);
    await app.mailTo(owner.email, '80 % of the visits');
    await setTeam(owner, { current_cycle_visits: 10_000, current_cycle_bandwidth: 25_000_000_000 });
    await tell();
    await tell();
    // The bandwidth went past both at once; one word is enough.
    assert.deepEqual((await noticesOf(owner)).toSorted(), ['bandwidth 100', 'visits 100', 'visits 80']);
    const mail = await app.mailTo(owner.email, '100 % of the bandwidth');
    assert.match(mail, /Your sites stay online/);
    // A larger plan has another limit, and another cycle begins anew.
    await putOnPlan(app, owner.teamId, 'micro');
    await tell();
    assert.equal((await noticesOf(owner)).length, 3);
    await setTeam(owner, { plan_type_name: 'free', cycle_start: new Date() });
    await tell();
    assert.equal((await noticesOf(owner)).length, 5);
  });

  test('of storage are told too, with what it leads to, and count deleted sites while they are kept', async () => {
    const owner = await registerPerson(app, 'Hoarder');
    const tell = async () => {
      await followStorage(app.services.db);
      await tellReachedLimits(app.services);
      return [await noticesOf(owner), (await teamOf(owner)).storage_is_used_up];
    };
    await setTeam(owner, { storage_usage: 800_000_000 });
    assert.deepEqual(await tell(), [['storage 80'], false]);
    assert.match(await app.mailTo(owner.email, '80 % of the storage'), /When all of it is used, new uploads/);
    const kept = {
      id: randomUUID(),
      fqdn: 'kept.example.org',
      site: '{}',
      external_paths: '[]',
      host: 'local',
      driver: 'memory',
    };
    const deleted = { ...kept, team_id: owner.teamId, storage_bytes: 200_000_000, deleted_event_id: randomUUID() };
    await app.services.db.insertInto('deleted_sites').values(deleted).execute();
    assert.deepEqual(await tell(), [['storage 100', 'storage 80'], true]);
    assert.match(await app.mailTo(owner.email, '100 % of the storage'), /deleted sites count for seven days/);
    await app.services.db.deleteFrom('deleted_sites').where('id', '=', kept.id).execute();
    assert.deepEqual(await tell(), [['storage 100', 'storage 80'], false]);
  });

  test('never keep anybody out', async () => {
    const owner = await registerPerson(app, 'Crowded');
    await setTeam(owner, { current_cycle_visits: 1_000_000 });
    await tellReachedLimits(app.services);
    const team = await teamOf(owner);
    assert.deepEqual([team.is_active, team.is_expired, team.visits_usage_percentage], [true, false, 10_000]);
  });
});

test('the usage of a team comes in whole steps with zeros, and only as much as one can draw', async () => {
  const owner = await registerPerson(app, 'Plot');
  const siteId = await siteOf(owner);
  await siteReports(app.services).usage([visits(siteId, owner, 4)]);
  const params = { team_id: owner.teamId };
  const byDay = await owner.api.getTeamUsage({ params, query: { step: 'day' } });
  const bytes = byDay.points.reduce((total, point) => total + point.bytes, 0);
  assert.deepEqual([byDay.points.length, sum(byDay.points), bytes], [30, 4, 4000]);
  assert.equal((await owner.api.getTeamUsage({ params })).points.length, 48);
  await assert.rejects(
    owner.api.getTeamUsage({ params, query: { from: '2020-01-01T00:00:00Z', step: 'hour' } }),
    refused(422),
  );
});

test('the clock begins cycles and tells of limits by itself', async () => {
  const owner = await registerPerson(app, 'Clockwork');
  await setTeam(owner, { current_cycle_visits: 9000 });
  await app.services.jobs.enqueue(app.services.db, followUsage, {});
  await eventually(async () => {
    const { results } = await owner.api.listTeamEvents({ params: { team_id: owner.teamId } });
    return results.some(({ event_type }) => event_type === 'billing.limit_reached');
  });
});
