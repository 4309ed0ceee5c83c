import assert from 'node:assert/strict';
import { before, suite, test } from 'node:test';
import type { ApiError, Site, Software } from '#sdk';
import { type Person, registerPerson } from '#testkit/app/people.ts';
import { sharedApp } from '#testkit/app/shared-app.ts';
import { siteOnDisk } from '#testkit/app/site-changes.ts';
import { newSite, putOnPlan } from '#testkit/app/sites.ts';
import type { TestApp } from '#testkit/app/test-app.ts';
import { visit } from '#testkit/clients/visit.ts';
import { eventually, refused } from '#testkit/expect.ts';
import { changeSoftware } from './site-software.jobs.ts';
import { dueSteps, lookAtSoftware, planSoftware } from './site-software.policy.ts';
import { readAnswer } from './site-software.read.ts';
import { countRefused, leftToPeople } from './site-software.refused.ts';

let app: TestApp;
let owner: Person;
before(async () => {
  app = await sharedApp();
  owner = await registerPerson(app, 'Owner');
  await putOnPlan(app, owner.teamId, 'business');
});

const readme = (title: string, version: string) => `=== ${title} ===\nStable tag: ${version}\n`;
const FINE = JSON.stringify([{ setOption: ['seen', 'yes'] }]);
const BROKEN = JSON.stringify([{ fail: true }]);
const at = (site: { fqdn: string }) => ({ params: { fqdn: site.fqdn } });
const check = (site: Site, stage?: boolean) =>
  owner.api.checkSoftware({ ...at(site), ...(stage && { query: { stage } }) });
const plugin = ({ extensions }: Software, name: string) => extensions.find((each) => each.name === name);
const read = (site: { id: string }, path: string) =>
  siteOnDisk(app, site.id)
    .read(path)
    .catch(() => undefined);

/** A site with a plugin that is on, and a newer one of it that waits. */
async function siteWith(newer: string, name = 'shop'): Promise<Site> {
  const site = await newSite(owner);
  const disk = siteOnDisk(app, site.id);
  await disk.write(`plugins/${name}/readme.txt`, readme('Shop', '1.0'));
  await disk.write(`plugins/${name}/${name}.php`, FINE);
  await disk.write(`upgrade/${name}/readme.txt`, readme('Shop', '2.0'));
  await disk.write(`upgrade/${name}/${name}.php`, newer);
  await check(site);
  await owner.api.switchExtension({
    params: { fqdn: site.fqdn, kind: 'plugin', name },
    body: { active: true },
    wait: 60,
  });
  return site;
}

suite('what a site runs', () => {
  test('is asked of its WordPress, kept with its time, and counted for lists', async () => {
    const site = await newSite(owner);
    const before = await owner.api.getSoftware(at(site));
    assert.deepEqual([before.checked_at, before.extensions, before.change], [null, [], null]);
    assert.deepEqual([before.php_version, before.php_versions], ['8.3', ['8.4', '8.3']]);
    await assert.rejects(owner.api.updateSoftware({ ...at(site), body: {} }), refused(409, 'software.unknown'));
    const disk = siteOnDisk(app, site.id);
    await disk.write('plugins/shop/readme.txt', readme('Shop', '1.0'));
    await disk.write('upgrade/shop/readme.txt', readme('Shop', '2.0'));
    const after = await check(site);
    assert.ok(after.checked_at);
    assert.deepEqual(plugin(after, 'shop'), {
      kind: 'plugin',
      name: 'shop',
      title: 'Shop',
      version: '1.0',
      state: 'inactive',
      update: '2.0',
    });
    const { results } = await owner.api.listSites({ query: { size: 100 } });
    assert.equal(results.find(({ id }) => id === site.id)?.updates_waiting, 1);
  });

  test('may be anything that a hostile site says, and is bounded and plain', () => {
    const evil = { kind: 'plugin', name: '../x', title: 'x', version: '1', state: 'active', update: null };
    const loud = {
      ...evil,
      name: 'ok',
      title: `<b>\u202e${'t'.repeat(9000)}`,
      version: '1; drop',
      update: 'x'.repeat(99),
    };
    const items = [evil, loud, { ...loud, state: 'root' }, null, 7];
    const told = readAnswer(
      `noise\nmark${JSON.stringify({ items, health: [{ level: 'critical' }], results: 'x' })}\n`,
      'mark',
    );
    assert.equal(told?.items.length, 1);
    const [item] = told?.items ?? [];
    assert.deepEqual([item?.name, item?.version, item?.update], ['ok', null, null]);
    assert.equal(item?.title.length, 100);
    assert.ok(!item?.title.includes('\u202e'));
    assert.deepEqual([told?.health, told?.errors], [[], []]);
    for (const bad of ['', 'mark', 'mark{"items":', 'mark[]', 'mark{"items":{}}'])
      assert.equal(readAnswer(bad, 'mark'), undefined, bad);
    const many = Array.from({ length: 9000 }, (_, index) => ({ ...evil, name: `p${index}` }));
    assert.equal(readAnswer(`mark${JSON.stringify({ items: many })}`, 'mark')?.items.length, 500);
  });
});

suite('a change', () => {
  test('is kept where every page still answers, and says what each answered', async () => {
    const site = await siteWith(FINE);
    const now = await owner.api.updateSoftware({ ...at(site), body: {}, wait: 60 });
    assert.deepEqual(
      [plugin(now, 'shop')?.version, plugin(now, 'shop')?.state, now.updates_waiting],
      ['2.0', 'active', 0],
    );
    assert.equal(now.change?.state, 'kept');
    assert.deepEqual(now.change?.checks[0], { page: 'front page', before: 200, after: 200 });
    assert.ok(now.change?.undo_point);
    await assert.rejects(owner.api.updateSoftware({ ...at(site), body: {} }), refused(409, 'software.nothing'));
    const { results } = await owner.api.listSiteEvents({ ...at(site), query: { size: 5 } });
    assert.match(results[0]?.activity ?? '', /updated Shop to 2\.0 on /);
    assert.equal((await owner.api.getSite(at(site))).busy, null);
  });

  test('that breaks a page is rolled back by itself, with what PHP said', async () => {
    const site = await siteWith(BROKEN);
    const failed = await owner.api
      .updateSoftware({ ...at(site), body: { plugins: ['shop'] }, wait: 60 })
      .catch((error: ApiError) => error);
    refused(502, 'software.failed')(failed);
    const { change, extensions } = await owner.api.getSoftware(at(site));
    assert.match(change?.failure ?? '', /rolled back, because the front page answered 500 \(before: 200\)/);
    assert.match(change?.php[0] ?? '', /Uncaught Error: it fails \(wp-content\/plugins\/shop\/shop\.php:1\)/);
    assert.equal(change?.state, 'taken_back');
    assert.equal(extensions[0]?.version, '1.0');
    assert.equal(await read(site, 'plugins/shop/shop.php'), FINE);
    assert.equal((await visit(app, site.fqdn, '/')).status, 200);
  });

  test('is made to the stage alone where that is meant', async () => {
    const site = await siteWith(FINE);
    await owner.api.createStage({ ...at(site), body: { subdomain: 'soft' }, wait: 60 });
    await check(site, true);
    const query = { stage: true };
    const staged = await owner.api.updateSoftware({ ...at(site), query, body: {}, wait: 60 });
    assert.equal(plugin(staged, 'shop')?.version, '2.0');
    assert.equal(plugin(await owner.api.getSoftware(at(site)), 'shop')?.version, '1.0');
    assert.equal(await read(site, 'plugins/shop/readme.txt'), readme('Shop', '1.0'));
  });

  test('installs, switches off and deletes, and refuses what there is not', async () => {
    const site = await siteWith(FINE);
    await siteOnDisk(app, site.id).write('upgrade/forms/readme.txt', readme('Forms', '3.1'));
    const body = { kind: 'plugin', name: 'forms', activate: true } as const;
    const installed = await owner.api.installExtension({ ...at(site), body, wait: 60 });
    assert.deepEqual([plugin(installed, 'forms')?.version, plugin(installed, 'forms')?.state], ['3.1', 'active']);
    const forms = { fqdn: site.fqdn, kind: 'plugin', name: 'forms' } as const;
    const off = await owner.api.switchExtension({ params: forms, body: { active: false }, wait: 60 });
    assert.equal(plugin(off, 'forms')?.state, 'inactive');
    const gone = await owner.api.deleteExtension({ params: forms, wait: 60 });
    assert.equal(plugin(gone, 'forms'), undefined);
    await assert.rejects(owner.api.deleteExtension({ params: forms }), refused(404, 'software.not_found'));
    const missing = { kind: 'plugin', name: 'nowhere' } as const;
    await assert.rejects(
      owner.api.installExtension({ ...at(site), body: missing, wait: 60 }),
      refused(502, 'software.failed'),
    );
    await assert.rejects(owner.api.updateSoftware({ ...at(site), body: { plugins: ['nowhere'] } }), refused(422));
  });

  test('of PHP is checked and rolled back too, and a version that the machine has not is a fault of its field', async () => {
    const site = await siteWith(FINE);
    const move = (php_version: string) => owner.api.updateSite({ ...at(site), body: { php_version }, wait: 60 });
    assert.equal((await move('8.4')).properties.php_version, '8.4');
    assert.equal((await move('8.3')).properties.php_version, '8.3');
    await siteOnDisk(app, site.id).write('mu-plugins/old.php', JSON.stringify([{ failUnderPhp: '8.4' }]));
    await assert.rejects(move('8.4'), refused(502, 'site.update_failed'));
    assert.equal((await owner.api.getSite(at(site))).properties.php_version, '8.3');
    assert.equal((await visit(app, site.fqdn, '/')).status, 200);
    const error = (await move('5.6').catch((reason: unknown) => reason)) as ApiError;
    refused(422)(error);
    assert.deepEqual(error.faults[0]?.loc, ['body', 'php_version']);
    assert.match(error.faults[0]?.msg ?? '', /8\.4, 8\.3/);
  });

  test('whose worker died half way begins anew from the site as it was', async () => {
    const site = await siteWith(FINE);
    const disk = siteOnDisk(app, site.id);
    const { db } = app.services;
    // The first attempt ends when it has kept the site and written half of a plugin.
    const undo = await disk.keep();
    const hash = (
      await db
        .selectFrom('backups')
        .select('commit_hash')
        .where('site_id', '=', site.id)
        .orderBy('created_at', 'desc')
        .executeTakeFirstOrThrow()
    ).commit_hash;
    await owner.api.updateSoftware({ ...at(site), body: {}, wait: 60 });
    await disk.write('upgrade/shop/readme.txt', readme('Shop', '2.1'));
    await disk.write('upgrade/shop/shop.php', FINE);
    await disk.write('plugins/shop/half.php', 'half');
    const { event_id } = await db
      .selectFrom('site_software')
      .select('event_id')
      .where('site_id', '=', site.id)
      .executeTakeFirstOrThrow();
    const work = {
      siteId: site.id,
      eventId: event_id as string,
      steps: [{ kind: 'plugin', action: 'activate', name: 'shop', title: 'Shop', from: '1.0', to: '1.0', error: null }],
      wishes: [{ kind: 'plugin', action: 'activate', name: 'shop' }],
      isByPolicy: false,
    } as const;
    const state = { eventId: event_id, phase: 'applying', steps: work.steps, undo: { hash, timeMs: Date.parse(undo) } };
    await db
      .insertInto('site_holds')
      .values({ site_id: site.id, event_id: event_id as string, kind: 'updating' })
      .execute();
    await db
      .updateTable('site_software')
      .set({ running: JSON.stringify(state) })
      .where('site_id', '=', site.id)
      .execute();
    await app.services.jobs.enqueue(
      db,
      changeSoftware,
      { ...work, steps: [...work.steps], wishes: [...work.wishes] },
      site.id,
      site.team_id,
    );
    await eventually(async () => (await owner.api.getSite(at(site))).busy === null, 60_000);
    assert.equal(await read(site, 'plugins/shop/half.php'), undefined);
    assert.equal(await read(site, 'plugins/shop/readme.txt'), readme('Shop', '1.0'));
  });
});

suite('the policy of a team', () => {
  const row = { core_version: '7.1.1', php_version: '8.3' } as Parameters<typeof dueSteps>[1];
  const item = (kind: 'plugin' | 'theme', name: string) =>
    ({ kind, name, title: name, version: '1.0', state: 'active', update: '2.0' }) as const;
  const found = {
    items: [item('plugin', 'shop'), item('plugin', 'forms'), item('theme', 'plain')],
    health: [],
    unreached: null,
  };
  const due = (update_policy: 'off' | 'security' | 'all', versions: string[], rejected = {}) =>
    dueSteps({ update_policy, update_plugins: ['shop'] }, row, found, versions, rejected).map(
      ({ name, to }) => `${name} ${to}`,
    );

  test('names what is updated by itself, and never what was rolled back', () => {
    const versions = ['7.2.0', '7.1.3', '7.1.1'];
    assert.deepEqual(due('off', versions), []);
    assert.deepEqual(due('security', versions), ['core 7.1.3', 'shop 2.0']);
    assert.deepEqual(due('security', ['7.2.0', '7.1.1']), ['shop 2.0']);
    assert.deepEqual(due('all', versions), ['core 7.2.0', 'shop 2.0', 'forms 2.0', 'plain 2.0']);
    assert.deepEqual(due('security', versions, { 'core core': '7.1.3', 'plugin shop': '1.9' }), ['shop 2.0']);
  });

  test('tries what WordPress does not make for some nights alone, and a newer version of it again', () => {
    const step = (to: string, error: string | null) =>
      ({ kind: 'plugin', action: 'update', name: 'shop', title: 'Shop', from: '1.0', to, error }) as const;
    let row = { rejected: { 'core core': '7.1.3' }, refused: {} };
    const night = (to: string, error: string | null) => {
      const { refused, isGivenUp } = countRefused(row, [step(to, error)]);
      row = { ...row, refused: JSON.parse(refused) };
      return isGivenUp;
    };
    assert.deepEqual([night('2.0', 'No licence'), night('2.0', 'No licence')], [false, false]);
    assert.deepEqual(leftToPeople(row), { 'core core': '7.1.3' });
    assert.equal(night('2.0', 'No licence'), true, 'the owner is told now');
    assert.deepEqual(leftToPeople(row), { 'core core': '7.1.3', 'plugin shop': '2.0' });
    assert.equal(night('2.1', 'No licence'), false);
    assert.deepEqual(leftToPeople(row), { 'core core': '7.1.3' });
    night('2.1', null);
    assert.deepEqual(row.refused, {});
  });

  test('updates in the quiet hours, and mails the owner what was rolled back, once', async () => {
    const site = await siteWith(BROKEN);
    const { db } = app.services;
    await owner.api.updateTeam({
      params: { team_id: owner.teamId },
      body: { update_plugins: ['shop'], update_policy: 'security' },
    });
    const job = () => ({
      id: 'a test',
      services: app.services,
      signal: new AbortController().signal,
      commit: (effect: (tx: never) => Promise<void>) => db.transaction().execute((tx) => effect(tx as never)),
    });
    // It is noon for the team: nobody's turn. Then it is three.
    const hourNow = new Date().getUTCHours();
    const zone = (hour: number) => {
      const ahead = ((((hour - hourNow + 12) % 24) + 24) % 24) - 12;
      return `Etc/GMT${ahead <= 0 ? '+' : '-'}${Math.abs(ahead)}`;
    };
    await db
      .updateTable('sites')
      .set({ created_at: new Date(Date.now() - 3 * 86_400_000) })
      .where('id', '=', site.id)
      .execute();
    const planned = async () =>
      (await db.selectFrom('site_software').select('planned_at').where('site_id', '=', site.id).executeTakeFirst())
        ?.planned_at;
    await db
      .updateTable('teams')
      .set({ timezone: zone(12) })
      .where('id', '=', owner.teamId)
      .execute();
    await planSoftware.run({}, job());
    assert.equal(await planned(), null);
    await db
      .updateTable('teams')
      .set({ timezone: zone(3) })
      .where('id', '=', owner.teamId)
      .execute();
    await planSoftware.run({}, job());
    assert.ok(await planned());
    const text = await app.mailTo(owner.email, `An update of ${site.fqdn}`);
    assert.match(text, /answered 500[\s\S]*PHP said: Uncaught Error/);
    assert.equal(await read(site, 'plugins/shop/shop.php'), FINE);
    const { change } = await owner.api.getSoftware(at(site));
    await lookAtSoftware.run({ siteId: site.id }, job());
    assert.equal((await owner.api.getSoftware(at(site))).change?.id, change?.id, 'it is not tried again');
  });
});
