import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import type { Site } from '#sdk';
import { startTestApp, type TestApp } from '../../../test/app.ts';
import { eventually } from '../../../test/expect.ts';
import { type Person, registerPerson } from '../../../test/people.ts';
import { newSite, putOnPlan } from '../../../test/sites.ts';
import { siteReports } from './site.edge.ts';
import { deliverSiteMail } from './site-mail.jobs.ts';
import { planSiteWork } from './site-upkeep.jobs.ts';
import { startDueCycles } from './site-upkeep.sql.ts';

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
    for (const site of [...sites, visited, edited])
      await set(site, { created_at: minutesAgo(60), last_visited_at: null });
    await set(visited, { last_visited_at: minutesAgo(14) });
    const nothing = {
      visits: 0,
      bytes: 1,
      cachedBytes: 0,
      cacheHits: 0,
      cacheMisses: 1,
      cacheObjects: 0,
      cacheBytes: 0,
    };
    const request = { siteId: edited.id, teamId: edited.team_id, ...nothing, requests: 1, lastVisitAt: null };
    await siteReports(app.services).usage([request]);
    await set(sites[0], { last_visited_at: minutesAgo(16) });
    await plan();
    const asleep = await Promise.all([...sites, visited, edited].map(async (site) => (await read(site)).is_sleeping));
    assert.deepEqual(asleep, [true, true, false, false, false]);
    const { results } = await free.api.listSiteEvents({ params: { fqdn: sites[0].fqdn } });
    assert.equal(results[0]?.event_type, 'site.slept');
    assert.equal(results[0]?.user, null);
    await plan();
    assert.equal((await free.api.listSiteEvents({ params: { fqdn: sites[0].fqdn } })).count, 2);
  });

  test('comes to every site of a team that is unpaid', async () => {
    const owner = await ownerOn('micro');
    const site = await newSite(owner);
    await app.services.db.updateTable('teams').set({ is_expired: true }).where('id', '=', owner.teamId).execute();
    await plan();
    assert.equal((await read(site)).is_sleeping, true);
  });
});

suite('scheduled work', () => {
  test('runs when it is due, tells when it is due next, and lets a sleeping site sleep on', async () => {
    const owner = await ownerOn('micro');
    const site = await newSite(owner);
    await owner.api.sleepSite({ wait: 10, params: { fqdn: site.fqdn } });
    await set(site, { next_cron_at: minutesAgo(1) });
    await plan();
    // At first an hour ahead; then what WordPress says, which has daily and half-daily work of its own.
    const inAnHour = (await read(site)).next_cron_at?.getTime() as number;
    assert.ok(Math.abs(inAnHour - Date.now() - 3_600_000) < 60_000);
    await eventually(async () => (await read(site)).next_cron_at?.getTime() !== inAnHour, 60_000);
    await eventually(async () => app.services.runtime.awake().every(({ siteId }) => siteId !== site.id));
    assert.equal((await read(site)).is_sleeping, true);
  });

  test('is not looked for at a suspended team or at a site that is busy', async () => {
    const owner = await ownerOn('micro');
    const [suspended, busy] = [await newSite(await ownerOn('micro')), await newSite(owner)];
    const due = minutesAgo(1);
    await set(suspended, { next_cron_at: due });
    await set(busy, { next_cron_at: due, busy: 'updating', busy_event_id: randomUUID() });
    const teams = app.services.db.updateTable('teams').set({ is_active: false });
    await teams.where('id', '=', suspended.team_id).execute();
    await plan();
    assert.deepEqual((await read(suspended)).next_cron_at, due);
    assert.deepEqual((await read(busy)).next_cron_at, due);
  });
});

test('storage is measured after a site ran, and counted for its team', async () => {
  const owner = await ownerOn('micro');
  const site = await newSite(owner);
  await writeFile(join(app.services.runtime.contentFolder(site.id), 'upload.bin'), Buffer.alloc(3_000_000, 'x'));
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

test('a new billing cycle begins with every counter at zero', async () => {
  const owner = await ownerOn('micro');
  const site = await newSite(owner);
  const { db } = app.services;
  const end = minutesAgo(1);
  const counters = { current_cycle_visits: 5, current_cycle_bandwidth: 6 };
  await set(site, counters);
  await db
    .updateTable('teams')
    .set({ ...counters, cycle_end: end })
    .where('id', '=', owner.teamId)
    .execute();
  await startDueCycles(db);
  const now = await owner.api.getSite({ params: { fqdn: site.fqdn } });
  assert.deepEqual([now.current_cycle_visits, now.current_cycle_bandwidth, now.team.current_cycle_visits], [0, 0, 0]);
  assert.equal(String(now.team.cycle_start), end.toISOString());
  assert.ok(Date.parse(String(now.team.cycle_end)) > Date.now());
});

suite("a site's mail", () => {
  let nextMail = 1;
  /** What the site's own plugin leaves for the platform. */
  async function leaveMail(site: Site, to: string[], subject = 'Hello'): Promise<void> {
    const from = `wordpress@${site.fqdn}`;
    const lines = [`From: ${from}`, `To: ${to[0]}`, `Subject: ${subject}`, `Date: ${new Date().toUTCString()}`];
    const message = Buffer.from(`${lines.join('\r\n')}\r\n\r\nIt works.\r\n`).toString('base64');
    const outbox = join(dirname(app.services.runtime.contentFolder(site.id)), 'outbox');
    await mkdir(outbox, { recursive: true });
    await writeFile(
      join(outbox, `mail-${String(nextMail++).padStart(6, '0')}.json`),
      JSON.stringify({ from, to, message }),
    );
  }
  const waiting = async (site: Site) => (await app.services.runtime.outgoingMail(site.id)).length;

  test("goes out through the platform, signed with the site's own key", async () => {
    const site = await newSite(await ownerOn('micro'));
    const address = `${randomUUID()}@example.com`;
    await leaveMail(site, [address]);
    await deliverSiteMail.run({ siteId: site.id }, job());
    const mail = await app.mailTo(`${address}\r`);
    assert.match(mail, /^DKIM-Signature: v=1;/m);
    assert.match(mail.replaceAll(/\r?\n\s+/g, ' '), new RegExp(`d=${site.fqdn}; .*s=siteyard;`));
    assert.equal(await waiting(site), 0);
  });

  test('stops at 200 people an hour; the rest waits for the next hour', async () => {
    const site = await newSite(await ownerOn('micro'));
    const crowd = (count: number) => Array.from({ length: count }, () => `${randomUUID()}@example.com`);
    await leaveMail(site, crowd(150));
    await leaveMail(site, crowd(150));
    await leaveMail(site, crowd(1));
    await deliverSiteMail.run({ siteId: site.id }, job());
    assert.equal(await waiting(site), 1);
    assert.equal((await read(site)).mail_is_waiting, true);
    await plan();
    assert.equal((await read(site)).mail_is_waiting, true);
    await set(site, { mail_hour: minutesAgo(61) });
    await plan();
    await eventually(async () => (await waiting(site)) === 0);
  });

  test('stays where it is while the team is suspended', async () => {
    const owner = await ownerOn('micro');
    const site = await newSite(owner);
    await app.services.db.updateTable('teams').set({ is_active: false }).where('id', '=', owner.teamId).execute();
    await leaveMail(site, ['somebody@example.com']);
    await deliverSiteMail.run({ siteId: site.id }, job());
    assert.equal(await waiting(site), 1);
  });
});
