import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { sql } from 'kysely';
import { listPlans } from '#features/backup/backup.sql.ts';
import { startClock, takeDueSites } from '#features/backup/backup.ts';
import { lockTeamSites } from '#features/deleted-site/deleted-site.sql.ts';
import { findZonesToLookAt } from '#features/domain/domain.sql.ts';
import { findSitesCalled } from '#features/event/event.sql.ts';
import { siteFeature } from '#features/site/site.feature.ts';
import { countSites, listSiteNames } from '#features/site/site.ts';
import { deliverSiteMail } from '#features/site-mail/site-mail.ts';
import { planSiteWork } from '#features/site-upkeep/site-upkeep.jobs.ts';
import { type Person, registerPerson } from '#testkit/app/people.ts';
import { insertPreview, insertSite, putOnPlan } from '#testkit/app/sites.ts';
import { startTestApp, type TestApp } from '#testkit/app/test-app.ts';
import { refused } from '#testkit/expect.ts';
import { siteRoutes } from './edge-routes.ts';
import { writeStatuses } from './told-by-sites.sql.ts';

let app: TestApp;
before(async () => {
  // Without a worker: nobody but the test takes what is due.
  app = await startTestApp({ env: { ROLE: 'api' } });
});
after(() => app?.close());

/** Somebody with one site and one preview of it, both as idle, due and unmeasured as can be. */
async function ownerOfPreview() {
  const { db } = app.services;
  const owner = await registerPerson(app, 'Owner');
  const siteId = await insertSite(app, owner);
  const preview = await insertPreview(app, siteId, owner.userId);
  const due = { next_cron_at: new Date(0), storage_is_stale: true, created_at: new Date(0) };
  await db.updateTable('sites').set(due).where('id', 'in', [siteId, preview.id]).execute();
  return { owner, siteId, preview };
}

const read = (id: string) =>
  app.services.db.selectFrom('sites').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
const job = () => ({ id: '', services: app.services, signal: new AbortController().signal, commit: async () => {} });
/** The kinds of the jobs that a site waits for. */
async function jobsOf(siteId: string): Promise<string[]> {
  const { rows } = await sql<{ kind: string }>`
    select data->>'kind' as kind from jobs.job where data->'payload'->>'siteId' = ${siteId}`.execute(app.services.db);
  return rows.map(({ kind }) => kind).sort();
}

suite('a preview is no site of the', () => {
  test('lists, and nobody finds it by its name', async () => {
    const { owner, siteId, preview } = await ownerOfPreview();
    for (const query of [{}, { team_id: owner.teamId }]) {
      const { count, results } = await owner.api.listSites({ query });
      assert.deepEqual([count, results.map(({ id }) => id)], [1, [siteId]]);
    }
    await assert.rejects(owner.api.getSite({ params: { fqdn: preview.fqdn } }), refused(404, 'site.not_found'));
    await assert.rejects(owner.api.deleteSite({ params: { fqdn: preview.fqdn } }), refused(404, 'site.not_found'));
    const { db } = app.services;
    assert.deepEqual(await listSiteNames(db, owner.teamId), [(await read(siteId)).fqdn]);
    assert.deepEqual(await findSitesCalled(db, preview.fqdn, [owner.teamId]), []);
    const about = { subject: 'It', description: 'is broken', team_id: owner.teamId, site_live_id: preview.id };
    await assert.rejects(owner.api.createTicket({ body: about }), refused(404, 'site.not_found'));
  });

  test('plan', async () => {
    const { owner, siteId } = await ownerOfPreview();
    await putOnPlan(app, owner.teamId, 'micro');
    const { db } = app.services;
    await db.updateTable('sites').set({ is_free: true }).where('id', '=', siteId).execute();
    assert.deepEqual(await countSites(db, owner.teamId), { sites: 1, free_sites: 1 });
    const { fqdn } = await read(siteId);
    // The plan has one slot, which is the site's.
    assert.equal((await owner.api.updateSite({ params: { fqdn }, body: { is_free: false } })).is_free, false);
  });

  test("platform's figures", async () => {
    const { owner, siteId } = await ownerOfPreview();
    const figures = siteFeature.figures?.[0];
    const before = await figures?.read(app.services);
    await insertPreview(app, siteId, owner.userId);
    assert.deepEqual(await figures?.read(app.services), before);
  });

  test('clock: it is neither woken, put to sleep, measured nor looked up, and nobody hears of it', async () => {
    const { owner, siteId, preview } = await ownerOfPreview();
    const { db } = app.services;
    await db.updateTable('sites').set({ domain_option: 'custom' }).where('id', '=', preview.id).execute();
    const zones = await findZonesToLookAt(db, 6, 1000);
    assert.deepEqual(
      zones.filter(({ id }) => id === siteId || id === preview.id).map(({ id }) => id),
      [siteId],
    );
    await planSiteWork.run({}, job());
    assert.deepEqual(await jobsOf(preview.id), []);
    assert.deepEqual(await jobsOf(siteId), ['site.cron', 'site.measure', 'site.stop']);
    assert.deepEqual([(await read(preview.id)).is_sleeping, (await read(siteId)).is_sleeping], [false, true]);
    const events = await owner.api.listEvents({ query: { size: 100 } });
    assert.ok(!JSON.stringify(events.results).includes(preview.id));
    const told = { faviconUrl: null, title: null, nextCronAt: new Date() };
    await db.updateTable('sites').set({ next_cron_at: null }).where('id', '=', preview.id).execute();
    await writeStatuses(db, new Map([[preview.id, told]]));
    assert.equal((await read(preview.id)).next_cron_at, null);
  });

  test('backups', async () => {
    const { siteId, preview } = await ownerOfPreview();
    const { db } = app.services;
    await db.updateTable('sites').set({ core_version: '7.1.1' }).where('id', '=', siteId).execute();
    await startClock(db, siteId, (await read(siteId)).team_id);
    const due = await takeDueSites(db, 1000);
    const plans = (await listPlans(db)).map(({ site_id }) => site_id);
    for (const ids of [due, plans]) assert.deepEqual([ids.includes(siteId), ids.includes(preview.id)], [true, false]);
  });

  test('mail: what it left in its outbox stays there', async () => {
    const { preview } = await ownerOfPreview();
    const outbox = join(dirname(app.runtime.contentFolder(preview.id)), 'outbox');
    await mkdir(outbox, { recursive: true });
    const to = `${randomUUID()}@example.com`;
    const message = Buffer.from(`From: wordpress@${preview.fqdn}\r\nTo: ${to}\r\n\r\nHello\r\n`).toString('base64');
    const name = `mail-${Math.floor(Date.now() / 1000)}-000000000001.json`;
    await writeFile(join(outbox, name), JSON.stringify({ from: 'a@example.com', to: [to], message }));
    await deliverSiteMail.run({ siteId: preview.id }, job());
    assert.equal(await app.runtime.hasOutgoingMail(preview.id), true);
  });

  test('deletion of a team: it goes with its site, and is not kept', async () => {
    const { owner, siteId, preview } = await ownerOfPreview();
    const { db } = app.services;
    const locked = await lockTeamSites(db, owner.teamId);
    assert.deepEqual(
      locked.map(({ id }) => id),
      [siteId],
    );
    await owner.api.deleteSite({ params: { fqdn: (await read(siteId)).fqdn } });
    assert.equal(await db.selectFrom('sites').select('id').where('id', '=', preview.id).executeTakeFirst(), undefined);
    const kept = db.selectFrom('deleted_sites').select('id').where('id', '=', preview.id);
    assert.equal(await kept.executeTakeFirst(), undefined);
  });
});

suite('the kinds of instances', () => {
  test('one route source has them all, and the kind says what a driver is told', async () => {
    const { owner, siteId, preview } = await ownerOfPreview();
    const { db } = app.services;
    const routes = siteRoutes(app.services);
    const told = async (id: string) => {
      const [route] = await routes.load([id]);
      const { isCopy, isOffline } = route?.site ?? {};
      return { state: route?.state, isCopy, isOffline, isPreview: route?.preview !== null };
    };
    assert.deepEqual(await told(siteId), { state: 'creating', isCopy: false, isOffline: false, isPreview: false });
    const open = { state: 'ready', isCopy: true, isOffline: true, isPreview: true };
    assert.deepEqual(await told(preview.id), open);
    // What is uploaded into a preview is nobody's storage.
    await db.updateTable('teams').set({ storage_is_used_up: true }).where('id', '=', owner.teamId).execute();
    const refusals = [siteId, preview.id].map(async (id) => (await routes.load([id]))[0]?.uploadsRefused !== null);
    assert.deepEqual(await Promise.all(refusals), [true, false]);
    // Of a team that may do nothing any more it says that it has ended, and not why.
    await suspend(owner, false);
    assert.deepEqual(await told(preview.id), open);
    const [route] = await routes.load([preview.id]);
    assert.ok((route?.preview?.expiresAt as Date) <= new Date());
  });

  test('a copy has a site and a live site has none; only previews end by themselves', async () => {
    const { siteId, preview } = await ownerOfPreview();
    const { db } = app.services;
    const soon = new Date(Date.now() + 60_000);
    const set = (id: string, change: object) => db.updateTable('sites').set(change).where('id', '=', id).execute();
    const wrong: [string, object][] = [
      [siteId, { of_site_id: preview.id }],
      [siteId, { expires_at: soon }],
      [siteId, { kind: 'stage' }],
      [preview.id, { kind: 'live' }],
      [preview.id, { kind: 'stage' }],
      [preview.id, { of_site_id: null }],
      [preview.id, { expires_at: null }],
    ];
    for (const [id, change] of wrong)
      await assert.rejects(set(id, change), { constraint: 'sites_kind' }, JSON.stringify(change));
    await set(preview.id, { kind: 'stage', expires_at: null });
  });
});

async function suspend(person: Person, isActive: boolean): Promise<void> {
  await app.services.db.updateTable('teams').set({ is_active: isActive }).where('id', '=', person.teamId).execute();
}
