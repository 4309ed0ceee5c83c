import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { before, suite, test } from 'node:test';
import { sql } from 'kysely';
import type { Backup, PitRestore, Site } from '#sdk';
import { withoutRetryWaits } from '#testkit/app/job-retries.ts';
import { letIn, type Person, registerPerson } from '#testkit/app/people.ts';
import { sharedApp } from '#testkit/app/shared-app.ts';
import { siteOnDisk } from '#testkit/app/site-changes.ts';
import { holdSite, insertStage, newSite, putOnPlan } from '#testkit/app/sites.ts';
import type { TestApp } from '#testkit/app/test-app.ts';
import { visit } from '#testkit/clients/visit.ts';
import { eventually, refused } from '#testkit/expect.ts';

let app: TestApp;
let owner: Person;
before(async () => {
  app = await sharedApp();
  owner = await registerPerson(app, 'Owner');
  await putOnPlan(app, owner.teamId, 'business');
});

const newName = () => `stage-${randomBytes(5).toString('hex')}`;
const stageOf = (site: Site, body: { subdomain?: string; restore_point?: string } = {}) =>
  owner.api.createStage({ params: { fqdn: site.fqdn }, wait: 60, body: { subdomain: newName(), ...body } });
const read = (site: Site) => owner.api.getSite({ params: { fqdn: site.fqdn } });
const storageOfTeam = async () => (await owner.api.getTeam({ params: { team_id: owner.teamId } })).storage_usage;

/** A site whose title says what it is. */
async function titledSite(title: string): Promise<Site> {
  const site = await newSite(owner);
  await siteOnDisk(app, site.id).setOption('blogname', title);
  return site;
}

suite('a staging site', () => {
  test('is a copy of the site as it is now, that goes its own way and tells search engines to stay away', async () => {
    const site = await titledSite('The original');
    const stage = await stageOf(site);
    assert.match(stage.fqdn, /^stage-[0-9a-f]{10}\.localhost$/);
    assert.deepEqual((await read(site)).site_stage, stage);
    const page = await visit(app, stage.fqdn, '/');
    assert.equal(page.status, 200);
    assert.match(page.text, /The original/);
    assert.match(String(page.headers['x-robots-tag']), /noindex/);
    assert.ok(!page.text.includes(site.fqdn), 'it leads to itself');
    await siteOnDisk(app, stage.id).write('uploads/a.txt', 'a');
    const file = await visit(app, stage.fqdn, '/wp-content/uploads/a.txt');
    assert.equal(file.text, 'a');
    assert.match(String(file.headers['x-robots-tag']), /noindex/);

    await siteOnDisk(app, stage.id).setOption('blogname', 'The copy');
    assert.match((await visit(app, stage.fqdn, '/?a')).text, /The copy/);
    assert.match((await visit(app, site.fqdn, '/?a')).text, /The original/);
  });

  test('is a copy of the site at a point, where one is named', async () => {
    const site = await titledSite('As it was');
    const point = await siteOnDisk(app, site.id).keep();
    await siteOnDisk(app, site.id).setOption('blogname', 'As it is');
    const stage = await stageOf(site, { restore_point: point });
    assert.match((await visit(app, stage.fqdn, '/')).text, /As it was/);
    for (const restore_point of ['2001-01-01T00:00:00Z', '2999-01-01T00:00:00Z'])
      await assert.rejects(stageOf(await titledSite('x'), { restore_point }), refused(422));
  });

  test('is there once a site, and has a name that nobody else has', async () => {
    const site = await titledSite('One');
    const { fqdn } = await stageOf(site);
    await assert.rejects(stageOf(site), refused(409, 'stage.exists'));
    const other = await titledSite('Other');
    const subdomain = fqdn.split('.')[0] as string;
    await assert.rejects(stageOf(other, { subdomain }), refused(409, 'site.name_taken'));
    await assert.rejects(newSite(owner, { fqdn }), refused(409, 'site.name_taken'));
    for (const wrong of ['', '-a', 'a-', 'a.b', 'a b', 'ä', '../x', 'x'.repeat(64)])
      await assert.rejects(stageOf(other, { subdomain: wrong }), refused(422), wrong);
    assert.equal((await read(other)).site_stage, null);
  });

  test('is found by no name of a site, and is no site of lists and plans', async () => {
    const site = await titledSite('Counted once');
    const before = (await owner.api.listSites()).count;
    const { fqdn } = await stageOf(site);
    await assert.rejects(owner.api.getSite({ params: { fqdn } }), refused(404, 'site.not_found'));
    assert.equal((await owner.api.listSites()).count, before);
  });

  test('has backups of its own, and takes up storage of the team', async () => {
    const site = await titledSite('Kept');
    const before = await storageOfTeam();
    const stage = await stageOf(site);
    assert.ok((await storageOfTeam()) > before);
    const kept = () =>
      app.services.db.selectFrom('backups').select('commit_hash').where('site_id', '=', stage.id).execute();
    await eventually(async () => (await kept()).length > 0);
    await owner.api.deleteStage({ params: { fqdn: site.fqdn } });
    assert.equal(await storageOfTeam(), before);
    await eventually(async () => (await kept()).length === 0);
  });

  test('has a log of its own, which is read and followed like that of the site', async () => {
    const site = await titledSite('Logged');
    const params = { fqdn: site.fqdn };
    const query = { kind: 'access', stage: true } as const;
    await assert.rejects(owner.api.listSiteLog({ params, query }), refused(404, 'stage.missing'));
    const headers = { authorization: `Bearer ${owner.token}` };
    const follow = () => fetch(`${app.api}/site/${site.fqdn}/log/stream?kind=access&stage=true`, { headers });
    assert.equal((await follow()).status, 404);
    const { fqdn } = await stageOf(site);
    const stream = await follow();
    assert.equal(stream.status, 200);
    let told = '';
    for await (const part of stream.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      // From the first word on nothing is missed.
      if (told === '') for (const name of [site.fqdn, fqdn]) await visit(app, name, `/at-${name}`);
      told += part;
      if (told.includes(`/at-${fqdn}`)) break;
    }
    assert.ok(!told.includes(`/at-${site.fqdn}`), told);
    const isListed = async (name: string, stage: boolean) => {
      const { results } = await owner.api.listSiteLog({ params, query: { ...query, stage } });
      return results.some((line) => 'path' in line && line.path === `/at-${name}`);
    };
    await eventually(() => isListed(site.fqdn, false));
    assert.deepEqual(await Promise.all([isListed(fqdn, true), isListed(fqdn, false), isListed(site.fqdn, true)]), [
      true,
      false,
      false,
    ]);
  });

  test('mails nobody: what it wanted to send is shown to its people', async () => {
    const site = await titledSite('Mailing');
    const stage = await stageOf(site);
    const path = 'plugins/mail.php';
    const mail = {
      to: 'customer.of.stage@example.com',
      bcc: 'hidden.of.stage@example.com',
      subject: 'Your order',
      text: 'Thank you!',
    };
    await siteOnDisk(app, stage.id).write(path, JSON.stringify([{ mail }]));
    assert.equal((await visit(app, stage.fqdn, `/wp-content/${path}`)).text, 'true');
    const [held] = await eventually(async () => {
      const { results } = await owner.api.listStageMail({ params: { fqdn: site.fqdn } });
      return results.length > 0 && results;
    });
    assert.deepEqual([held?.subject, held?.text.trim()], ['Your order', 'Thank you!']);
    assert.deepEqual(held?.recipients, ['customer.of.stage@example.com', 'hidden.of.stage@example.com']);
    const sent = await readdir(app.mailDir).catch(() => []);
    const texts = await Promise.all(sent.map((name) => readFile(join(app.mailDir, name), 'utf8')));
    assert.ok(!texts.some((text) => text.includes('customer.of.stage@example.com')));
  });

  test('begins as guarded as the live site', async () => {
    const site = await titledSite('Guarded');
    await owner.api.updateSite({ params: { fqdn: site.fqdn }, body: { http_auth_enabled: true } });
    const { fqdn } = await stageOf(site);
    assert.equal((await visit(app, fqdn, '/')).status, 401);
    const { http_auth_password } = await read(site);
    const authorization = `Basic ${Buffer.from(`admin:${http_auth_password}`).toString('base64')}`;
    assert.equal((await visit(app, fqdn, '/', { headers: { authorization } })).status, 200);
  });

  test('has settings of its own from then on, and sleeps by itself', async () => {
    const site = await titledSite('Apart');
    const params = { fqdn: site.fqdn };
    const { fqdn } = await stageOf(site);
    await owner.api.updateSite({ params, body: { http_auth_enabled: true } });
    await eventually(async () => (await visit(app, site.fqdn, '/')).status === 401);
    assert.equal((await visit(app, fqdn, '/')).status, 200);

    const body = { cdn_firewall_enabled: true, cdn_firewall_allowed_ips: ['203.0.113.9/24'] };
    const shown = await owner.api.updateStage({ params, body });
    assert.deepEqual(shown.cdn_firewall_allowed_ips, ['203.0.113.0/24']);
    await eventually(async () => (await visit(app, fqdn, '/')).status === 403);
    assert.equal((await visit(app, site.fqdn, '/')).status, 401);
    await assert.rejects(owner.api.updateStage({ params, body: { cdn_firewall_allowed_ips: [] } }), { status: 422 });
    await owner.api.updateStage({ params, body: { cdn_firewall_enabled: false } });
    await eventually(async () => (await visit(app, fqdn, '/')).status === 200);

    await owner.api.sleepSite({ params, query: { for_stage: true } });
    const after = await read(site);
    assert.deepEqual([after.is_sleeping, after.site_stage?.is_sleeping], [false, true]);
    await eventually(async () => (await visit(app, fqdn, '/')).status === 200);
    await eventually(async () => (await read(site)).site_stage?.is_sleeping === false);
  });

  test('is made while the live site goes on, and no other work begins meanwhile', async () => {
    const site = await titledSite('Open');
    const disk = siteOnDisk(app, site.id);
    await disk.keep();
    const stop = await holdSite(app, site.id, 'staging');
    await disk.setOption('blogname', 'Still open');
    await disk.keep();
    assert.equal((await read(site)).busy, 'staging');
    assert.equal((await visit(app, site.fqdn, '/?while')).status, 200);
    await assert.rejects(stageOf(site), refused(409, 'site.busy'));
    await assert.rejects(owner.api.deleteSite({ params: { fqdn: site.fqdn } }), refused(409, 'site.busy'));
    await stop();
  });

  test('says which work it is busy with, from its creation on', async () => {
    const site = await titledSite('Busy');
    const params = { fqdn: site.fqdn };
    const begun = await owner.api.createStage({ params, body: { subdomain: newName() } });
    assert.equal(begun.busy, 'creating');
    const stage = await eventually(async () => {
      const { site_stage } = await read(site);
      return site_stage?.busy === null && site_stage;
    });
    const release = await holdSite(app, stage.id, 'git_sync');
    assert.deepEqual([(await read(site)).busy, (await read(site)).site_stage?.busy], [null, 'git_sync']);
    await release();
    assert.equal((await owner.api.updateStage({ params, body: {} })).busy, null);
  });

  test('is deleted for good, with its files and its name, and the live site stays', async () => {
    const site = await titledSite('Stays');
    const { id, fqdn } = await stageOf(site);
    const { content } = app.runtime.storage(id);
    assert.ok(existsSync(content));
    await owner.api.deleteStage({ params: { fqdn: site.fqdn } });
    assert.equal((await read(site)).site_stage, null);
    await eventually(async () => (await visit(app, fqdn, '/')).status === 404);
    await eventually(async () => !existsSync(content));
    assert.match((await visit(app, site.fqdn, '/?b')).text, /Stays/);
    await assert.rejects(owner.api.deleteStage({ params: { fqdn: site.fqdn } }), refused(404, 'stage.missing'));
    assert.equal((await stageOf(site, { subdomain: fqdn.split('.')[0] as string })).fqdn, fqdn);
  });

  test('goes with its site, and moves with it to another team', async () => {
    const site = await titledSite('Moving');
    const stage = await stageOf(site);
    const before = await storageOfTeam();
    const friend = await registerPerson(app, 'Friend');
    await letIn(friend, owner, 'admin');
    const team_id = friend.teamId;
    await putOnPlan(app, team_id, 'business');
    await owner.api.updateSite({ params: { fqdn: site.fqdn }, body: { team_id } });
    const moved = await owner.api.getTeam({ params: { team_id } });
    assert.equal(before - (await storageOfTeam()), moved.storage_usage, 'both of them');
    await owner.api.deleteSite({ params: { fqdn: site.fqdn }, wait: 60 });
    assert.equal((await owner.api.getTeam({ params: { team_id } })).storage_usage, 0);
    const { rows } = await sql`select from sites where id = ${stage.id}`.execute(app.services.db);
    assert.equal(rows.length, 0);
    await eventually(async () => (await visit(app, stage.fqdn, '/')).status === 404);
  });

  test('goes back in time by itself, and the live site does not', async () => {
    const site = await titledSite('Live');
    const params = { fqdn: site.fqdn };
    const wish = { for_stage_site: true, restore_point: new Date().toISOString() };
    await assert.rejects(owner.api.createPitRestore({ params, body: wish }), refused(409, 'stage.not_found'));
    const stage = await stageOf(site);
    const disk = siteOnDisk(app, stage.id);
    await disk.setOption('blogname', 'Before');
    const restore_point = await disk.keep();
    await disk.setOption('blogname', 'After');
    const seen = await owner.api.previewPitRestore({ params, body: { ...wish, restore_point } });
    assert.equal(seen.site_live_id, site.id);
    const done = await owner.api.createPitRestore({ params, wait: 60, body: { ...wish, restore_point } });
    assert.equal(done.site_live_id, site.id);
    assert.match((await visit(app, stage.fqdn, '/?c')).text, /Before/);
    assert.match((await visit(app, site.fqdn, '/?c')).text, /Live/);
    const body = { restore_point: await siteOnDisk(app, site.id).keep() };
    const live = await owner.api.createPitRestore({ params, wait: 60, body });
    const of = async (query: { stage?: boolean }) =>
      (await owner.api.listPitRestores({ params, query })).results.map(({ id }) => id);
    assert.deepEqual(
      [await of({}), await of({ stage: true }), await of({ stage: false })],
      [[live.id, done.id], [done.id], [live.id]],
    );
    assert.deepEqual([seen.for_stage_site, done.for_stage_site, live.for_stage_site], [true, true, false]);
    const found = await owner.api.getPitRestore({ params: { ...params, pit_restore_id: done.id } });
    assert.equal((found as PitRestore).id, done.id);
    const backups = (isStage: boolean) =>
      owner.api.getBackups({ params, query: { number_to_fetch: 9, stage: isStage } }) as Promise<Backup[]>;
    const hashes = async (isStage: boolean) => (await backups(isStage)).map(({ id }) => id);
    const [ofStage, ofLive] = [await hashes(true), await hashes(false)];
    assert.ok(ofStage.length > 1 && ofLive.length > 0 && !ofStage.some((id) => ofLive.includes(id)));
  });

  test('is busy and not too young for a restore while it is being created', async () => {
    const site = await titledSite('Young');
    const { db } = app.services;
    const stage = await insertStage(app, site.id, owner.userId);
    const release = await holdSite(app, stage.id, 'creating');
    const params = { fqdn: site.fqdn };
    const body = { for_stage_site: true, restore_point: new Date().toISOString() };
    await assert.rejects(owner.api.createPitRestore({ params, body }), refused(409, 'site.busy'));
    await assert.rejects(owner.api.previewPitRestore({ params, body }), refused(409, 'site.busy'));
    await release();
    await db.deleteFrom('sites').where('id', '=', stage.id).execute();
  });

  test('lets its people sign in to its own WordPress', async () => {
    const site = await titledSite('Door');
    const { fqdn } = await stageOf(site);
    const { url } = await owner.api.createSiteLogin({ params: { fqdn: site.fqdn }, query: { stage: true } });
    assert.equal(new URL(url).hostname, fqdn);
    const entered = await visit(app, fqdn, url.slice(new URL(url).origin.length));
    assert.match(String(entered.headers['set-cookie']), /wordpress_logged_in/);
  });

  test('that can not be made leaves nothing behind, and the live site is free again', async () => {
    const site = await titledSite('Unharmed');
    await siteOnDisk(app, site.id).keep();
    const before = await storageOfTeam();
    // What it is to be made from is not there.
    await sql`update backups set commit_hash = encode(sha256(commit_hash::bytea), 'hex') where site_id = ${site.id}`.execute(
      app.services.db,
    );
    const { max_restore_point: restore_point } = await read(site);
    const subdomain = newName();
    await withoutRetryWaits(app.services.db, () =>
      assert.rejects(stageOf(site, { restore_point, subdomain }), refused(502, 'stage.failed')),
    );
    const now = await read(site);
    assert.deepEqual([now.busy, now.site_stage, await storageOfTeam()], [null, null, before]);
    const { rows } = await sql`select from site_names where fqdn = ${`${subdomain}.localhost`}`.execute(
      app.services.db,
    );
    assert.equal(rows.length, 0);
  });

  test('tells what happened with the events of its site', async () => {
    const site = await titledSite('Told');
    const { id } = await stageOf(site);
    await owner.api.deleteStage({ params: { fqdn: site.fqdn } });
    const { results } = await owner.api.listSiteEvents({ params: { fqdn: site.fqdn } });
    const told = results.filter(({ scope }) => scope === 'stage');
    assert.deepEqual(
      told.map(({ event_type, item_id, finished_at }) => [event_type, item_id, finished_at !== null]),
      [
        ['stage.deleted', id, true],
        ['stage.created', id, true],
      ],
    );
  });
});
