import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { sql } from 'kysely';
import { Latency, percentileOf } from '#edge/latency.ts';
import { type Person, registerPerson, signInAs } from '#testkit/app/people.ts';
import { newSite } from '#testkit/app/sites.ts';
import { OPERATOR, startTestApp, type TestApp } from '#testkit/app/test-app.ts';
import { eventually, refused } from '#testkit/expect.ts';

let app: TestApp;
let operator: Pick<Person, 'api'>;
before(async () => {
  app = await startTestApp();
  operator = await signInAs(app, OPERATOR.email, OPERATOR.password);
});
after(() => app?.close());

test('percentiles come out within half of what they are, whatever was counted', () => {
  const latency = new Latency();
  for (let ms = 1; ms <= 1000; ms++) latency.add(ms);
  latency.add(3_600_000);
  for (const [percent, ms] of [
    [50, 500],
    [95, 950],
  ] as const) {
    const found = percentileOf(latency.counts, percent) as number;
    assert.ok(found > ms / 1.5 && found < ms * 1.5, `p${percent} is ${found}`);
  }
  assert.equal(percentileOf(new Latency().counts, 50), null);
});

test('the overview tells of hosts, traffic, queue, money, certificates and backups', async () => {
  const { db } = app.services;
  const owner = await registerPerson(app);
  const site = await newSite(owner);
  await sql`update teams set sub_id = 'sub_1', plan_type_name = 'starter', interval = 'year', price_cents = 29000 where id = ${owner.teamId}`.execute(
    db,
  );
  await sql`insert into certificates (name, failures, reason) values ('broken.example.com', 4, 'DNS says no')`.execute(
    db,
  );
  await sql`update backup_clocks set failing_since = now(), failures = 2, failure = 'No room', due_at = now() + interval '1 hour' where site_id = ${site.id}`.execute(
    db,
  );
  await sql`insert into failed_jobs (id, queue, kind, payload) values (gen_random_uuid(), 'background', 'x', '{}')`.execute(
    db,
  );
  const edge = { requests: 40, failures: 1, cache_hits: 30, cache_misses: 10, latency: [0, 0, 0, 0, 40] };
  for (const minutes of [20, 20, 300])
    await sql`insert into platform_readings (slot, process_id, edge)
      values (now() - make_interval(mins => ${minutes}), ${randomUUID()}, ${JSON.stringify(edge)})`.execute(db);

  const overview = await eventually(async () => {
    const found = await operator.api.getPlatformOverview();
    return found.hosts.length === 1 && found;
  });
  const [host] = overview.hosts;
  assert.ok(host && host.disk_free_bytes > 0 && host.disk_free_bytes < host.disk_bytes && host.memory_bytes > 0);
  assert.equal(host.backup_queue.trouble, null);
  const { last_hour, points } = overview.traffic;
  assert.deepEqual([last_hour.requests >= 80, last_hour.failures], [true, 2]);
  assert.ok(last_hour.p95_ms !== null && last_hour.p95_ms < 6 && last_hour.cached_percentage === 75);
  assert.equal(points.length, 96);
  assert.ok(
    points.some(({ requests }) => requests === 40),
    'the older one is in a point of its own',
  );
  assert.deepEqual(
    overview.revenue.plans.find(({ name }) => name === 'starter'),
    {
      name: 'starter',
      teams: 1,
      month_cents: 2417,
    },
  );
  assert.equal(overview.revenue.month_cents, 2417);
  assert.deepEqual([overview.certificates.failing, overview.certificates.worst[0]?.reason], [1, 'DNS says no']);
  assert.deepEqual([overview.backups.failing, overview.backups.worst[0]?.fqdn], [1, site.fqdn]);
  assert.equal(overview.queue.failed, 1);
});

test('operators find people, teams and sites by a part of their name, and read what happened to each', async () => {
  const { api } = operator;
  const owner = await registerPerson(app, 'Grace');
  const site = await newSite(owner);
  const part = site.fqdn.slice(1, 8).toUpperCase();
  assert.deepEqual(
    (await api.listAllSites({ query: { search: part } })).results.map(({ id }) => id),
    [site.id],
  );
  assert.deepEqual(
    (await api.listAllSites({ query: { team_id: owner.teamId } })).results.map(({ id }) => id),
    [site.id],
  );
  const found = await api.getAnySite({ params: { site_id: site.id } });
  assert.deepEqual([found.fqdn, found.http_auth_password], [site.fqdn, '']);
  assert.deepEqual((await api.listAllSites({ query: { search: '100%_' } })).results, []);

  await owner.api.updateTeam({ params: { team_id: owner.teamId }, body: { name: 'Bakers of Bergen' } });
  const ids = (await api.listAllTeams({ query: { search: 'of berg' } })).results.map(({ id }) => id);
  assert.deepEqual(ids, [owner.teamId]);
  assert.deepEqual(
    (await api.listAllTeams({ query: { user_id: owner.userId } })).results.map(({ id }) => id),
    ids,
  );
  assert.equal((await api.getAnyTeam({ params: { team_id: owner.teamId } })).name, 'Bakers of Bergen');
  assert.equal((await api.listAnyMembers({ params: { team_id: owner.teamId } })).results[0]?.user.id, owner.userId);
  assert.equal((await api.getAnyUser({ params: { user_id: owner.userId } })).email, owner.email);
  const operators = (await api.listAllUsers({ query: { is_superuser: true } })).results.map(({ email }) => email);
  assert.deepEqual(operators, [OPERATOR.email]);

  const kinds = async (query: { user_id?: string; team_id?: string; site_id?: string }) =>
    (await api.listAnyEvents({ query })).results.map(({ event_type }) => event_type);
  assert.ok((await kinds({ site_id: site.id })).includes('site.created'));
  assert.ok((await kinds({ team_id: owner.teamId })).includes('team.updated'));
  assert.ok((await kinds({ user_id: owner.userId })).includes('account.registered'));
  await assert.rejects(kinds({}), refused(422));
});
