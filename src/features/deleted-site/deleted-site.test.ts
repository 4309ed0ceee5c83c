import assert from 'node:assert/strict';
import { before, suite, test } from 'node:test';
import { cleanUpInstances, findUnknownFiles } from '#features/instance/clean-up.jobs.ts';
import { createSiteJob } from '#features/site/site.jobs.ts';
import { type Person, registerPerson, signInAs } from '#testkit/app/people.ts';
import { sharedApp } from '#testkit/app/shared-app.ts';
import { siteOnDisk } from '#testkit/app/site-changes.ts';
import { CMS, holdSite, newFqdn, newSite, putOnPlan } from '#testkit/app/sites.ts';
import { OPERATOR, type TestApp } from '#testkit/app/test-app.ts';
import { eventually, refused } from '#testkit/expect.ts';
import { archiveSite, restoreSite } from './deleted-site.jobs.ts';
import { planPurges } from './purge.jobs.ts';

let app: TestApp;
let operator: Omit<Person, 'userId' | 'teamId'>;
before(async () => {
  app = await sharedApp();
  operator = await signInAs(app, OPERATOR.email, OPERATOR.password);
});

async function ownerOfMany(): Promise<Person> {
  const person = await registerPerson(app, 'Owner');
  await putOnPlan(app, person.teamId, 'starter');
  return person;
}

const isKept = async (siteId: string) => (await app.runtime.list()).includes(siteId);
const job = () => ({
  id: 'a test',
  services: app.services,
  signal: new AbortController().signal,
  commit: (effect: (tx: never) => Promise<void>) => app.services.db.transaction().execute((tx) => effect(tx as never)),
});
const deletedIds = async () =>
  (await operator.api.listDeletedSites({ query: { size: 100 } })).results.map(({ id }) => id);

suite('deleting a site', () => {
  test('takes it out of every list at once, frees its name and keeps it for the operator', async () => {
    const owner = await ownerOfMany();
    const site = await newSite(owner);
    const params = { fqdn: site.fqdn };
    const ticket = await owner.api.createTicket({
      body: { subject: 'About it', description: 'x', team_id: owner.teamId, site_live_id: site.id },
    });
    await owner.api.createExternalPath({ params, body: { path: '/shop', external_name: 'https://shop.example.com/' } });
    await owner.api.deleteSite({ params });
    await assert.rejects(owner.api.getSite({ params }), refused(404, 'site.not_found'));
    assert.equal((await owner.api.listSites()).count, 0);
    assert.equal((await owner.api.getTeam({ params: { team_id: owner.teamId } })).storage_usage, 0);
    assert.ok((await owner.api.getTicket({ params: { ticket_id: ticket.id } })).id);
    const again = await newSite(owner, { fqdn: site.fqdn });
    assert.notEqual(again.id, site.id);

    const kept = (await operator.api.listDeletedSites()).results.find(({ id }) => id === site.id);
    assert.equal(kept?.fqdn, site.fqdn);
    assert.equal(kept?.deleted_by?.id, owner.userId);
    const days = (Date.parse(String(kept?.purge_after)) - Date.parse(String(kept?.deleted_at))) / 86_400_000;
    assert.equal(Math.round(days), 7);
    assert.ok(await isKept(site.id));
    await assert.rejects(
      operator.api.restoreDeletedSite({ params: { site_id: site.id } }),
      refused(409, 'site.name_taken'),
    );
    const { results } = await owner.api.listTeamEvents({ params: { team_id: owner.teamId }, query: { size: 100 } });
    const deletion = results.find(({ event_type }) => event_type === 'site.deleted');
    await eventually(async () => {
      const event = await owner.api.getEvent({ params: { event_id: deletion?.id as string } });
      return event.finished_at !== null;
    });
  });

  test('gives its storage back when it is purged, so that filling and deleting does not get round the plan', async () => {
    const owner = await ownerOfMany();
    const { db } = app.services;
    const site = await newSite(owner);
    const full = { storage_bytes: 50_000_000_000 };
    await db.updateTable('sites').set(full).where('id', '=', site.id).execute();
    await db.updateTable('teams').set({ storage_usage: full.storage_bytes }).where('id', '=', owner.teamId).execute();
    await owner.api.deleteSite({ params: { fqdn: site.fqdn } });
    await assert.rejects(newSite(owner), (error) => {
      refused(402, 'plan.storage')(error);
      assert.match((error as Error).message, /Deleted sites count for the seven days/);
      return true;
    });
    await db.deleteFrom('deleted_sites').where('id', '=', site.id).execute();
    assert.equal((await newSite(owner)).busy, null);
  });

  test('can be taken back by an operator: the same site, with all that was in it', async () => {
    const owner = await ownerOfMany();
    const site = await newSite(owner);
    const params = { fqdn: site.fqdn };
    await owner.api.createExternalPath({ params, body: { path: '/shop', external_name: 'https://shop.example.com/' } });
    await owner.api.updateSite({ params, body: { http_auth_enabled: true } });
    // With its first backup, which would otherwise come at any moment.
    await siteOnDisk(app, site.id).keep();
    const before = await owner.api.getSite({ params });
    await owner.api.deleteSite({ params });
    const restored = await operator.api.restoreDeletedSite({ wait: 60, params: { site_id: site.id } });
    assert.equal(restored.busy, null);
    // Operators bring sites back; they do not get their passwords with that.
    assert.equal(restored.http_auth_password, '');
    const now = await owner.api.getSite({ params });
    const steady = ({ team: _team, max_restore_point: _point, is_sleeping: _sleeps, ...rest }: typeof now) => rest;
    assert.deepEqual(steady(now), steady(before));
    const database = await app.runtime.database(site.id);
    assert.equal((await database.query('select ID from wp_users')).length, 1);
    database.close();
    assert.ok(!(await deletedIds()).includes(site.id));
    await assert.rejects(
      operator.api.restoreDeletedSite({ params: { site_id: site.id } }),
      refused(404, 'deleted_site.not_found'),
    );
    const team = await owner.api.getTeam({ params: { team_id: owner.teamId } });
    assert.equal(team.storage_usage, site.current_storage);
  });

  test('that is taken back is not put aside by a late attempt', async () => {
    const owner = await ownerOfMany();
    const site = await newSite(owner);
    await owner.api.deleteSite({ params: { fqdn: site.fqdn } });
    const { deleted_event_id: eventId } = await app.services.db
      .selectFrom('deleted_sites')
      .select('deleted_event_id')
      .where('id', '=', site.id)
      .executeTakeFirstOrThrow();
    await operator.api.restoreDeletedSite({ wait: 60, params: { site_id: site.id } });
    await archiveSite.run({ siteId: site.id, eventId }, job());
    assert.ok((await app.runtime.diskUsageBytes(site.id)) > 0);
  });

  test('that can not be taken back stays deleted', async () => {
    const owner = await ownerOfMany();
    const site = await newSite(owner);
    await owner.api.deleteSite({ params: { fqdn: site.fqdn } });
    const restored = await operator.api.restoreDeletedSite({ wait: 60, params: { site_id: site.id } });
    // As it is while the work goes on.
    const { db } = app.services;
    const eventId = restored.id;
    await holdSite(app, site.id, 'returning', eventId);
    await restoreSite.undo?.({ siteId: site.id, eventId }, app.services);
    await restoreSite.abandon?.(db, { siteId: site.id, eventId }, 'it failed', true);
    assert.ok((await deletedIds()).includes(site.id));
    await assert.rejects(owner.api.getSite({ params: { fqdn: site.fqdn } }), refused(404));
    assert.ok(await isKept(site.id));
  });

  test('is final after seven days', async () => {
    const owner = await ownerOfMany();
    const site = await newSite(owner);
    const { db } = app.services;
    await db.insertInto('site_usage').values({ site_id: site.id, hour: new Date(), visits: 1 }).execute();
    await owner.api.deleteSite({ params: { fqdn: site.fqdn } });
    await planPurges.run({}, job());
    assert.ok((await deletedIds()).includes(site.id));
    const past = new Date(Date.now() - 1000);
    await db.updateTable('deleted_sites').set({ purge_after: past }).where('id', '=', site.id).execute();
    await planPurges.run({}, job());
    await eventually(async () => !(await isKept(site.id)));
    await eventually(async () => {
      const rows = await db.selectFrom('deleted_sites').select('id').where('id', '=', site.id).execute();
      return rows.length === 0;
    });
    const usage = await db.selectFrom('site_usage').select('site_id').where('site_id', '=', site.id).execute();
    assert.equal(usage.length, 0);
  });
});

suite('nothing is left behind', () => {
  test('of a creation that fails for good: no row, no name, no folder, and the event says so', async () => {
    const owner = await ownerOfMany();
    const site = await newSite(owner);
    const { db, secrets } = app.services;
    const event = await db
      .insertInto('events')
      .values({
        scope: 'site',
        event_type: 'site.created',
        activity: 'x',
        team_id: owner.teamId,
        xid: '0',
        position: 0,
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    // As it is in the middle of the work.
    await holdSite(app, site.id, 'creating', event.id);
    const payload = {
      siteId: site.id,
      eventId: event.id,
      title: CMS.cms_blog_name,
      username: 'ada',
      email: CMS.cms_email,
      firstName: 'Ada',
      lastName: 'Lovelace',
      passwordHashSealed: secrets.seal(Buffer.from('x')).toString('base64'),
    };
    await createSiteJob.undo?.(payload, app.services);
    await createSiteJob.abandon?.(db, payload, 'it failed', true);
    assert.ok(!(await isKept(site.id)));
    await assert.rejects(owner.api.getSite({ params: { fqdn: site.fqdn } }), refused(404));
    assert.equal((await newSite(owner, { fqdn: site.fqdn })).busy, null);
    const ended = await owner.api.getEvent({ params: { event_id: event.id } });
    assert.match(String(ended.detail.failure), /could not be set up/);
    // An operator who tries it again changes nothing.
    await createSiteJob.run(payload, job());
    assert.ok(!(await isKept(site.id)));
  });

  test('on disk: what no table has known for a day goes, and nothing else', async () => {
    const owner = await ownerOfMany();
    const [site, orphan] = [await newSite(owner), await newSite(owner)];
    const { db } = app.services;
    await db.deleteFrom('sites').where('id', '=', orphan.id).execute();
    const look = async () => {
      await findUnknownFiles.run({}, job());
      await cleanUpInstances.run({}, job());
    };
    await look();
    assert.ok(await isKept(orphan.id));
    const noted = db.selectFrom('sites_to_remove').selectAll().where('site_id', '=', orphan.id);
    const waitsMs = (await noted.executeTakeFirstOrThrow()).due_at.getTime() - Date.now();
    assert.ok(waitsMs > 23.9 * 3_600_000 && waitsMs <= 24 * 3_600_000, String(waitsMs));
    // Everything is due, but a site that is known stays.
    await db
      .insertInto('sites_to_remove')
      .values({ ...app.services.config.newSites, site_id: site.id, due_at: new Date(0) })
      .execute();
    await db
      .updateTable('sites_to_remove')
      .set({ due_at: new Date(0) })
      .where('site_id', 'in', [site.id, orphan.id])
      .execute();
    await look();
    assert.ok(!(await isKept(orphan.id)));
    assert.ok(await isKept(site.id));
  });
});

test('a region with sites in it stays', async () => {
  const owner = await ownerOfMany();
  const region = await operator.api.createRegion({
    body: {
      name: 'bern',
      city: 'Bern',
      country: 'Switzerland',
      country_code: 'CH',
      cname: 'bern.example.com',
      ip: '192.0.2.7',
    },
  });
  const body = { ...CMS, fqdn: newFqdn(), team_id: owner.teamId, region_name: 'bern' };
  const site = await owner.api.createSite({ wait: 60, body });
  assert.equal(site.region_id, region.id);
  const params = { region_id: region.id };
  await assert.rejects(operator.api.deleteRegion({ params }), refused(409, 'region.in_use'));
  await owner.api.deleteSite({ params: { fqdn: site.fqdn } });
  await operator.api.deleteRegion({ params });
  const back = await operator.api.restoreDeletedSite({ wait: 60, params: { site_id: site.id } });
  assert.notEqual(back.region_id, region.id);
});
