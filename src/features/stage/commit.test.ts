import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { before, suite, test } from 'node:test';
import type { Site, StageChanges } from '#sdk';
import { type Person, registerPerson } from '#testkit/app/people.ts';
import { sharedApp } from '#testkit/app/shared-app.ts';
import { siteOnDisk } from '#testkit/app/site-changes.ts';
import { holdSite, newSite, putOnPlan } from '#testkit/app/sites.ts';
import type { TestApp } from '#testkit/app/test-app.ts';
import { visit } from '#testkit/clients/visit.ts';
import { refused } from '#testkit/expect.ts';

let app: TestApp;
let owner: Person;
before(async () => {
  app = await sharedApp();
  owner = await registerPerson(app, 'Owner');
  await putOnPlan(app, owner.teamId, 'business');
});

/** A site and its stage, each to be written to by hand. */
async function newPair(first: (disk: ReturnType<typeof siteOnDisk>) => Promise<void> = async () => {}) {
  const site = await newSite(owner);
  await first(siteOnDisk(app, site.id));
  const subdomain = `stage-${randomBytes(5).toString('hex')}`;
  const params = { fqdn: site.fqdn };
  const stage = await owner.api.createStage({ params, wait: 60, body: { subdomain } });
  const [live, copy] = [siteOnDisk(app, site.id), siteOnDisk(app, stage.id)];
  const changes = () => owner.api.compareStage({ params });
  const commit = (body: Parameters<typeof owner.api.commitStage>[0]['body'] = {}) =>
    owner.api.commitStage({ params, wait: 60, body });
  return { site, stage, params, live, copy, changes, commit };
}

const told = ({ summary }: StageChanges) => summary.map(({ text }) => text).sort();
const read = (site: Site) => owner.api.getSite({ params: { fqdn: site.fqdn } });

suite('a staging site is committed', () => {
  test('with what it has changed, and live keeps what it has got since', async () => {
    const { site, stage, params, live, copy, changes, commit } = await newPair((disk) =>
      disk.write('themes/x/style.css', 'old'),
    );
    await copy.setOption('blogname', `By the stage of ${await copy.option('home')}`);
    await copy.write('themes/x/style.css', 'new');
    // What WordPress notes for itself is nobody's change.
    await copy.query("insert into wp_postmeta (post_id, meta_key, meta_value) values (1, '_pingme', '1')");
    await live.setOption('blogdescription', 'By live');
    await live.write('uploads/order.txt', 'an order');
    const seen = await changes();
    assert.deepEqual(told(seen), [
      '1 file of the theme x (themes/x/style.css) changed on staging',
      '1 setting (blogdescription) changed on live',
      '1 setting (blogname) changed on staging',
      '1 uploaded file (uploads/order.txt) came to live',
    ]);
    assert.deepEqual(
      [seen.rows, seen.files],
      [
        { stage: 1, live: 1, both: 0 },
        { stage: 1, live: 1, both: 0 },
      ],
    );
    assert.equal((await commit({ plan: seen.plan })).id, stage.id);
    assert.equal(await live.option('blogdescription'), 'By live');
    assert.equal(await live.option('blogname'), `By the stage of ${await live.option('home')}`);
    assert.equal(await live.read('themes/x/style.css'), 'new');
    assert.equal(await live.read('uploads/order.txt'), 'an order');
    assert.match((await visit(app, site.fqdn, '/?after')).text, /By the stage/);
    assert.equal((await read(site)).busy, null);

    // It goes on from there, and undo is one call.
    const rest = await changes();
    assert.deepEqual(told(rest), []);
    const { results } = await owner.api.listSiteEvents({ params });
    const event = results.find(({ event_type }) => event_type === 'stage.committed');
    assert.ok(event);
    const { undo_point } = (event.detail as { result: { undo_point: string } }).result;
    await owner.api.createPitRestore({
      params,
      wait: 60,
      body: { restore_point: undo_point, delete_extra_files: true },
    });
    const [restore] = (await owner.api.listPitRestores({ params })).results;
    assert.deepEqual(restore?.undoes, { kind: 'stage_commit', created_at: event.created_at });
    const [undone] = (await owner.api.listSiteEvents({ params })).results;
    assert.match(undone?.activity ?? '', /undid a publish of the staging site to /);
    assert.equal(await live.read('themes/x/style.css'), 'old');
    assert.equal(await live.option('blogdescription'), 'By live');
    // What was undone is there to be brought again.
    assert.ok(told(await changes()).includes('1 setting (blogname) changed on staging'));
    await commit();
    assert.equal(await live.read('themes/x/style.css'), 'new');
  });

  test('and orders, comments and members that came to live meanwhile are there beside a new theme and plugin', async () => {
    const orders =
      'create table wp_wc_orders (id integer not null primary key autoincrement, total integer not null default 0)';
    const { live, copy, changes, commit } = await newPair((disk) => disk.query(orders).then(() => {}));
    const post = (disk: typeof live, type: string, title: string) =>
      disk.query(
        `insert into wp_posts (post_type, post_title, post_content, post_excerpt, to_ping, pinged, post_content_filtered)
         values (?, ?, '', '', '', '', '')`,
        type,
        title,
      );
    await copy.write('plugins/shop/shop.php', '<?php // 2.0');
    await copy.setOption('template', 'harbour');
    await post(copy, 'page', 'About us');
    await copy.query('alter table wp_wc_orders add column currency text');
    for (const total of [10, 20, 30]) await live.query('insert into wp_wc_orders (total) values (?)', total);
    for (const title of ['Order 1', 'Order 2']) await post(live, 'shop_order', title);
    await live.query(
      "insert into wp_comments (comment_post_ID, comment_author, comment_content) values (1, 'Ada', 'Hello')",
    );
    await live.query('update wp_posts set comment_count = comment_count + 1 where ID = 1');
    await live.query("insert into wp_users (user_login, display_name) values ('member', 'A member')");
    const seen = told(await changes());
    for (const text of [
      '3 orders came to live',
      '2 orders came to live',
      '1 comment (Ada) came to live',
      '1 user (A member) came to live',
      '1 page (About us) new on staging',
      '1 setting (template) changed on staging',
      '1 file of the plugin shop (plugins/shop/shop.php) new on staging',
    ])
      assert.ok(seen.includes(text), `${text} is not in ${seen.join('; ')}`);
    await commit();
    const totals = await live.query('select total, currency from wp_wc_orders order by id');
    assert.deepEqual(
      totals.map(({ total, currency }) => [total, currency]),
      [
        [10, null],
        [20, null],
        [30, null],
      ],
    );
    const posts = await live.query("select post_title, ID from wp_posts where post_type <> 'post' order by ID");
    assert.deepEqual(
      posts.map(({ post_title }) => post_title),
      ['Order 1', 'Order 2', 'About us'],
    );
    assert.ok(Number(posts[2]?.ID) > 1_000_000, 'the numbers of the stage are its own');
    const [first] = await live.query('select comment_count from wp_posts where ID = 1');
    assert.equal(first?.comment_count, 1);
    assert.equal((await live.query("select 1 from wp_users where user_login = 'member'")).length, 1);
    assert.equal(await live.option('template'), 'harbour');
    assert.match(await live.read('plugins/shop/shop.php'), /2\.0/);
  });

  test('on conditions: no conflict, a comparison that still holds, tables and files that stay', async () => {
    const { site, live, copy, changes, commit } = await newPair((disk) => disk.write('uploads/both.txt', 'base'));
    await copy.setOption('blogname', 'Stage');
    await copy.write('uploads/both.txt', 'stage');
    await copy.write('uploads/kept/a.txt', 'stage');
    const { plan } = await changes();
    await live.setOption('blogname', 'Live');
    await live.write('uploads/both.txt', 'live');
    await assert.rejects(commit({ plan }), refused(409, 'stage.moved_on'));
    const seen = await changes();
    assert.deepEqual([seen.rows.both, seen.files.both], [1, 1]);
    assert.ok(told(seen).includes('1 setting (blogname) changed in both'));
    const sample = seen.tables.find(({ name }) => name === 'wp_options')?.sample[0];
    assert.deepEqual(
      [sample?.side, sample?.stage?.option_value, sample?.live?.option_value],
      ['both', 'Stage', 'Live'],
    );
    for (const body of [{}, { plan: seen.plan }, { on_conflict: 'refuse' as const }])
      await assert.rejects(commit(body), refused(409, 'stage.conflict'));
    assert.deepEqual([await live.option('blogname'), await live.read('uploads/both.txt')], ['Live', 'live']);
    assert.equal((await read(site)).busy, null);
    await commit({ plan: seen.plan, on_conflict: 'live', keep_files: ['uploads/kept/'] });
    assert.deepEqual([await live.option('blogname'), await live.read('uploads/both.txt')], ['Live', 'live']);
    await assert.rejects(live.read('uploads/kept/a.txt'), { code: 'ENOENT' });
    await copy.setOption('blogname', 'Stage again');
    await commit({ on_conflict: 'stage', keep_tables: ['wp_options'] });
    assert.equal(await live.option('blogname'), 'Live');
    for (const wrong of ['/uploads', '..', './x', 'wp-content/uploads', ''])
      await assert.rejects(commit({ keep_files: [wrong] }), refused(422), wrong);
    for (const body of [{ plan: 'x' }, { mode: 'x' as 'merge' }, { on_conflict: 'x' as 'live' }])
      await assert.rejects(commit(body), refused(422));
  });

  test('as a whole where that is wished, and is then made anew from live', async () => {
    const { site, params, live, copy, changes, commit } = await newPair();
    await copy.setOption('blogname', 'Stage');
    await live.setOption('blogdescription', 'Only live');
    await live.write('uploads/live.txt', 'only live');
    await commit({ mode: 'replace' });
    assert.deepEqual([await live.option('blogname'), await live.option('blogdescription')], ['Stage', '']);
    await assert.rejects(live.read('uploads/live.txt'), { code: 'ENOENT' });
    assert.match((await visit(app, site.fqdn, '/?whole')).text, /Stage/);

    await live.setOption('blogname', 'Newer');
    await copy.write('uploads/stage.txt', 'lost');
    const stage = await owner.api.refreshStage({ params, wait: 60 });
    assert.match((await visit(app, stage.fqdn, '/?fresh')).text, /Newer/);
    await assert.rejects(copy.read('uploads/stage.txt'), { code: 'ENOENT' });
    assert.deepEqual(told(await changes()), []);
    const { max_restore_point: restore_point } = await read(site);
    const backups = await owner.api.getBackups({
      params,
      query: { number_to_fetch: 9, stage: true, ...{ restore_point } },
    });
    assert.ok(Array.isArray(backups) && backups.length > 1, 'what was in it is kept');
  });

  test('only where there is one, and nobody else works on either', async () => {
    const site = await newSite(owner);
    const params = { fqdn: site.fqdn };
    for (const ask of [
      () => owner.api.compareStage({ params }),
      () => owner.api.commitStage({ params, body: {} }),
      () => owner.api.refreshStage({ params }),
    ])
      await assert.rejects(ask(), refused(404, 'stage.missing'));
    const pair = await newPair();
    const stop = await holdSite(app, pair.stage.id, 'restoring');
    await assert.rejects(pair.commit(), refused(409, 'site.busy'));
    await assert.rejects(pair.changes(), refused(409, 'site.busy'));
    await stop();
  });
});
