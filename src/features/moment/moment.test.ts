import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { sql } from 'kysely';
import { prune } from '#features/backup/backup.jobs.ts';
import type { Site, SiteMoment } from '#sdk';
import { type Person, registerPerson } from '#testkit/app/people.ts';
import { siteOnDisk } from '#testkit/app/site-changes.ts';
import { newSite, putOnPlan } from '#testkit/app/sites.ts';
import { startTestApp, type TestApp } from '#testkit/app/test-app.ts';
import { refused } from '#testkit/expect.ts';
import { findMoments } from './moment.find.ts';
import { listUntold } from './moment.sql.ts';

let app: TestApp;
let owner: Person;
let site: Site;
let disk: ReturnType<typeof siteOnDisk>;
const params = () => ({ fqdn: site.fqdn });

const plugin = (version: string) => `<?php\n/**\n * Plugin Name: WooCommerce\n * Version: ${version}\n */\n`;
const newPost = (title: string, type: string, status: string) =>
  disk.query(
    `insert into wp_posts (post_author, post_title, post_name, post_type, post_status, post_content, guid, post_excerpt, to_ping, pinged, post_content_filtered)
     values (1, ?, lower(?), ?, ?, '', '', '', '', '', '')`,
    title,
    title,
    type,
    status,
  );

before(async () => {
  app = await startTestApp();
  owner = await registerPerson(app, 'Owner');
  await putOnPlan(app, owner.teamId, 'free');
  site = await newSite(owner);
  disk = siteOnDisk(app, site.id);
  await disk.write('plugins/woocommerce/woocommerce.php', plugin('9.0'));
  await disk.keep();
});
after(() => app?.close());

const untilNow = () => findMoments(app.services, Number.MAX_SAFE_INTEGER);

/** Keeps the site, and tells what the new minute brought. */
async function told(): Promise<string[]> {
  const at = await disk.keep();
  await untilNow();
  const { results } = await owner.api.listMoments({ params: params(), query: { from: at, until: at } });
  return results.map(({ text }: SiteMoment) => text);
}

suite('moments', () => {
  test('a minute is told in words of WordPress, and what nobody would tell of is left out', async () => {
    await newPost('Fresh rye', 'post', 'publish');
    assert.deepEqual(await told(), ['Post “Fresh rye” published']);

    await disk.write('plugins/woocommerce/woocommerce.php', plugin('9.1'));
    await disk.write('plugins/woocommerce/includes/more.php', '<?php');
    assert.deepEqual(await told(), ['WooCommerce updated to 9.1']);
    await disk.write('plugins/woocommerce/includes/more.php', '<?php // longer');
    assert.deepEqual(await told(), ['Files of the plugin WooCommerce changed']);

    await disk.setOption('stylesheet', 'corner-bakery');
    await disk.setOption('blogname', 'Rye & Sons \u202e');
    await disk.setOption('active_plugins', 'a:1:{i:0;s:27:"woocommerce/woocommerce.php";}');
    assert.deepEqual(await told(), [
      'WooCommerce activated',
      'Theme switched to Corner Bakery',
      'Title of the site changed to “Rye & Sons”',
    ]);

    for (const author of ['Ada', 'Bob', 'Eve'])
      await disk.query(
        "insert into wp_comments (comment_post_ID, comment_author, comment_content, comment_approved) values (1, ?, 'Good', '1')",
        author,
      );
    await disk.query('update wp_posts set comment_count = 3 where ID = 1');
    assert.deepEqual(await told(), ['3 comments came']);

    await disk.query("insert into wp_users (user_login, display_name) values ('anna', 'Anna')");
    assert.deepEqual(await told(), ['User “Anna” added']);

    await disk.query("update wp_posts set post_status = 'trash' where post_title = 'Fresh rye'");
    assert.deepEqual(await told(), ['Post “Fresh rye” moved to the trash']);

    await disk.setOption('_transient_doing_cron', '1');
    await newPost('A copy', 'revision', 'inherit');
    await disk.query("insert into wp_postmeta (post_id, meta_key, meta_value) values (1, '_edit_lock', '1:1')");
    await disk.query("insert into wp_postmeta (post_id, meta_key, meta_value) values (1, '_pingme', '1')");
    assert.deepEqual(await told(), []);
  });

  test('a restore is told as one, with the minute that it went back to', async () => {
    const before = await disk.keep();
    await newPost('Stale', 'post', 'publish');
    await disk.keep();
    await owner.api.createPitRestore({ params: params(), wait: 60, body: { restore_point: before } });
    assert.deepEqual(await told(), ['Restored to an earlier minute']);
    const { results } = await owner.api.listMoments({ params: params(), query: { kind: 'restore' } });
    assert.deepEqual(
      results.map(({ point }) => point),
      [before],
    );
  });

  test('what a restore would take back is told between two minutes', async () => {
    const from = await disk.keep();
    await newPost('Sourdough', 'page', 'publish');
    await disk.query("delete from wp_users where user_login = 'anna'");
    const until = await disk.keep();
    const { happened } = await owner.api.getHappenings({ params: params(), query: { restore_point: from, until } });
    assert.deepEqual(
      happened.map(({ kind, change, what }) => [kind, change, what]),
      [
        ['content', 'added', 'page “Sourdough”'],
        ['user', 'removed', 'user “Anna”'],
      ],
    );
    const nothing = await owner.api.getHappenings({ params: params(), query: { restore_point: until } });
    assert.deepEqual(nothing.happened, []);
  });

  test('a site that writes what can not be kept, or more than can be told, keeps nobody else from being told', async () => {
    await untilNow();
    await newPost('Hidden', 'odd', 'publish');
    await disk.query("update wp_posts set post_type = 'odd' || char(0) || char(27) || '[2J' where post_type = 'odd'");
    await disk.keep();
    const other = await registerPerson(app, 'Neighbour');
    await putOnPlan(app, other.teamId, 'free');
    const { id, fqdn } = await newSite(other);
    const theirs = siteOnDisk(app, id);
    await theirs.keep();
    await theirs.setOption('blogname', 'Next door');
    const at = await theirs.keep();
    await untilNow();
    const { results } = await other.api.listMoments({ params: { fqdn }, query: { from: at, until: at } });
    assert.deepEqual(
      results.map(({ text }: SiteMoment) => text),
      ['Title of the site changed to “Next door”'],
    );
    const [own] = (await owner.api.listMoments({ params: params(), query: { size: 1 } })).results;
    assert.equal(own?.text, 'Odd[2J (posts) “Hidden” published');

    // As of a team that has kept more minutes than were looked at in days.
    const { db } = app.services;
    await sql`insert into backups (site_id, commit_hash, created_at, tables_saved, tables_skipped, files_added, files_changed,
        files_removed, stored_bytes, is_consistent)
      select ${site.id}, md5(n::text), now() - interval '1 day' + n * interval '1 second', '{}', '{}', 0, 0, 0, 0, true
      from generate_series(1, 5000) n`.execute(db);
    await sql`update backups set is_told = false where site_id = ${id}`.execute(db);
    const next = await listUntold(db, { away: [] }, 20);
    assert.ok(next.some(({ site_id }) => site_id === id));
    await sql`delete from backups where site_id = ${site.id} and created_at < now() - interval '1 hour'`.execute(db);
    await sql`update backups set is_told = true where site_id = ${id}`.execute(db);
  });

  test('the list comes by the page, newest first, and of a minute the weightiest first', async () => {
    const all = await owner.api.listMoments({ params: params(), query: { size: 100 } });
    const pages = [1, 2].map((page) => owner.api.listMoments({ params: params(), query: { page, size: 3 } }));
    const [first, second] = await Promise.all(pages);
    assert.deepEqual([...(first?.results ?? []), ...(second?.results ?? [])], all.results.slice(0, 6));
    assert.equal(all.results.at(-1)?.kind, 'first');
    const order = all.results.map(({ at, place }) => [-Date.parse(at), place] as const);
    assert.deepEqual(
      order,
      [...order].sort(([a, p], [b, q]) => a - b || p - q),
    );
  });

  test('a minute with a name is kept past its time, until the name is taken away', async () => {
    const restore_point = await disk.keep();
    const named = await owner.api.createRestorePoint({
      params: params(),
      body: { name: 'Before the sale', restore_point },
    });
    assert.deepEqual([named.name, named.restore_point], ['Before the sale', restore_point]);
    const again = owner.api.createRestorePoint({ params: params(), body: { name: 'Again', restore_point } });
    await assert.rejects(again, refused(409, 'restore_point.named'));
    for (const text of ['newer', 'newest']) {
      await disk.write('uploads/later.txt', text);
      await disk.keep();
    }
    const kept = async () => {
      const { rows } =
        await sql`select from backups where site_id = ${site.id} and created_at = ${restore_point}`.execute(
          app.services.db,
        );
      return rows.length === 1;
    };
    const yearsLater = Date.now() + 3 * 365 * 86_400_000;
    await prune(app.services, yearsLater);
    assert.equal(await kept(), true);
    const list = await owner.api.listRestorePoints({ params: params() });
    assert.deepEqual(list.results, [named]);
    await owner.api.deleteRestorePoint({ params: { ...params(), restore_point_id: named.id } });
    await prune(app.services, yearsLater);
    assert.equal(await kept(), false);
  });

  test('a plan has so many names for a site, and no more', async () => {
    const points: string[] = [];
    for (const text of ['one', 'two', 'three']) {
      await disk.write('uploads/named.txt', text);
      points.push(await disk.keep());
    }
    const name = (restore_point: string) =>
      owner.api.createRestorePoint({ params: params(), body: { name: restore_point, restore_point } });
    await name(points[0] as string);
    await name(points[1] as string);
    await assert.rejects(name(points[2] as string), refused(409, 'restore_point.too_many'));
  });
});
