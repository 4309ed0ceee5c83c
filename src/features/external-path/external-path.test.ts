import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { sql } from 'kysely';
import { type Person, registerPerson } from '#testkit/app/people.ts';
import { sharedApp } from '#testkit/app/shared-app.ts';
import { newSite } from '#testkit/app/sites.ts';
import type { TestApp } from '#testkit/app/test-app.ts';
import { eventually, refused } from '#testkit/expect.ts';

let app: TestApp;
let owner: Person;
let fqdn: string;
before(async () => {
  app = await sharedApp();
  owner = await registerPerson(app, 'Owner');
  fqdn = (await newSite(owner)).fqdn;
});

const create = (path: string, external_name = 'https://shop.example.com/') =>
  owner.api.createExternalPath({ params: { fqdn }, body: { path, external_name } });

test('a path is made, read, changed and deleted, each with an event of the site', async () => {
  const made = await create('shop/', 'HTTPS://Shop.Example.com/store');
  assert.equal(made.path, '/shop');
  assert.equal(made.external_name, 'https://shop.example.com/store');
  const params = { fqdn, external_path_id: made.id };
  assert.deepEqual(await owner.api.getExternalPath({ params }), made);
  assert.deepEqual((await owner.api.getSite({ params: { fqdn } })).external_paths, [made]);
  const body = { path: '/store', external_name: 'http://store.example.com:8080/' };
  const changed = await owner.api.updateExternalPath({ params, body });
  assert.deepEqual([changed.id, changed.path, changed.external_name], [made.id, body.path, body.external_name]);
  assert.deepEqual((await owner.api.listExternalPaths({ params: { fqdn } })).results, [changed]);
  await owner.api.deleteExternalPath({ params });
  await assert.rejects(owner.api.getExternalPath({ params }), refused(404, 'external_path.not_found'));
  const events = await owner.api.listSiteEvents({ params: { fqdn }, query: { size: 3 } });
  assert.deepEqual(
    events.results.map(({ event_type }) => event_type),
    ['external_path.deleted', 'external_path.updated', 'external_path.created'],
  );
});

test('what would take WordPress away or lead back or inside is refused, field by field', async () => {
  const paths = ['/', '///', '/wp-admin', '/WP-Admin/x', '/wp-login.php', '/wp-json/wp/v2', '/wp-includes', '/a/../b'];
  const targets = [
    'ftp://shop.example.com/',
    'shop.example.com',
    'https://user:pass@shop.example.com/',
    'https://shop.example.com/?a=1',
    'https://shop.example.com/#a',
    'http://127.0.0.1/',
    'http://[::1]/',
    'http://169.254.169.254/latest/meta-data/',
    'http://0x7f000001/',
    'http://localhost/',
    `http://${fqdn}/`,
  ];
  const faultAt = (field: string) => (error: unknown) => {
    refused(422)(error);
    assert.deepEqual((error as { faults: { loc: unknown[] }[] }).faults[0]?.loc, ['body', field]);
    return true;
  };
  for (const path of [...paths, '/./a', '/a b', '/a?b', '/a%2e', '/a//b', '/ä']) {
    await assert.rejects(create(path), faultAt('path'), path);
  }
  for (const target of targets) await assert.rejects(create('/ok', target), faultAt('external_name'), target);
  assert.equal((await owner.api.listExternalPaths({ params: { fqdn } })).count, 0);
});

test('a path is there once, and no more than fifty are, however many come at once', async () => {
  const made = await create('/once');
  await assert.rejects(create('/once'), refused(409, 'external_path.exists'));
  const other = await create('/other');
  const body = { path: '/once', external_name: 'https://shop.example.com/' };
  await assert.rejects(
    owner.api.updateExternalPath({ params: { fqdn, external_path_id: other.id }, body }),
    refused(409, 'external_path.exists'),
  );
  await owner.api.updateExternalPath({ params: { fqdn, external_path_id: made.id }, body });
  const answers = await Promise.allSettled(Array.from({ length: 52 }, (_, at) => create(`/p${at}`)));
  assert.equal(answers.filter(({ status }) => status === 'rejected').length, 4);
  for (const answer of answers) if (answer.status === 'rejected') refused(409, 'external_path.too_many')(answer.reason);
  assert.equal((await owner.api.listExternalPaths({ params: { fqdn } })).count, 50);
});

test('a site that was moved to another team while the request waited for it is no longer there', async () => {
  const other = await registerPerson(app, 'Owner');
  const site = await newSite(other);
  const params = { fqdn: site.fqdn };
  const body = { path: '/shop', external_name: 'https://shop.example.com/' };
  const made = await other.api.createExternalPath({ params, body });
  const one = { ...params, external_path_id: made.id };
  const { db } = app.services;
  const { teamId } = await registerPerson(app, 'Grace');
  // Moved, but not committed: a request still finds the site, and then waits for its row.
  const requests = await db.transaction().execute(async (tx) => {
    await tx.updateTable('sites').set({ team_id: teamId }).where('id', '=', site.id).execute();
    const pending = Promise.allSettled([
      other.api.createExternalPath({ params, body: { ...body, path: '/other' } }),
      other.api.updateExternalPath({ params: one, body: { ...body, path: '/another' } }),
      other.api.deleteExternalPath({ params: one }),
    ]);
    await eventually(async () => {
      const { rows } =
        await sql`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`.execute(
          db,
        );
      return rows.length >= 3;
    });
    return { pending };
  });
  for (const answer of await requests.pending) {
    assert.equal(answer.status, 'rejected');
    refused(404, 'site.not_found')(answer.reason);
  }
  const paths = await db.selectFrom('external_paths').select('path').where('site_id', '=', site.id).execute();
  assert.deepEqual(paths, [{ path: '/shop' }]);
});
