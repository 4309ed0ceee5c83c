import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { after, before, test } from 'node:test';
import { sql } from 'kysely';
import { openDatabase } from '#core/db/database.ts';
import { moveFromDeleted } from '#features/deleted-site/deleted-site.sql.ts';
import { createTestDatabase } from '#testkit/app/test-app.ts';

const FOLDER = new URL('../../../migrations/', import.meta.url);
const INSTANCES = '0021_instances.sql';

let database: Awaited<ReturnType<typeof createTestDatabase>>;
let opened: ReturnType<typeof openDatabase>;
before(async () => {
  database = await createTestDatabase({ empty: true });
  opened = openDatabase(database.url, 1, () => {});
});
after(async () => {
  await opened?.close();
  await database?.drop();
});

async function run<Row>(text: string): Promise<Row[]> {
  return (await sql.raw<Row>(text).execute(opened.db)).rows;
}
const migrate = async (name: string) => run(await readFile(new URL(name, FOLDER), 'utf8'));

test('an installation of before has its sites, its deleted sites and its orphans, and its open previews end', async () => {
  for (const name of (await readdir(FOLDER)).sort()) if (name < INSTANCES) await migrate(name);
  await run(`
    insert into users (email, first_name, last_name, password_hash) values ('a@example.com', 'A', 'B', 'x');
    insert into regions (name, city, country, country_code, cname, ip) values ('x', 'x', 'x', 'CH', 'x', '192.0.2.1');
    insert into teams (user_id, name, tenant_id, cycle_start, cycle_end) select id, 'T', 't1', now(), now() from users;
    insert into sites (team_id, fqdn, user_id, region_id, domain_option, is_testing, http_auth_password_sealed,
      code_server_password_sealed)
      select t.id, fqdn, t.user_id, r.id, 'platform', true, 'x', 'x' from teams t, regions r,
        unnest(array['kept.localhost', 'gone.localhost']) as fqdn;
    insert into deleted_sites (id, team_id, fqdn, site, external_paths, storage_bytes, deleted_event_id)
      select id, team_id, fqdn, to_jsonb(sites), '[]', 0, gen_random_uuid() from sites where fqdn = 'gone.localhost';
    delete from sites where fqdn = 'gone.localhost';
    insert into site_previews (id, site_id, team_id, user_id, fqdn, commit_hash, restore_point, core_version, php_version, event_id)
      select gen_random_uuid(), id, team_id, user_id, 'preview.localhost', '', now(), '7.1', '8.3', gen_random_uuid() from sites;
    insert into orphaned_sites (site_id, seen_at) values (gen_random_uuid(), now() - interval '1 hour');
    create schema jobs;
    create table jobs.schedule (key text);
    create table jobs.job (state text, data jsonb);
    insert into jobs.schedule values ('preview.end'), ('site.sweep'), ('site.plan')`);
  await migrate(INSTANCES);

  const live = { kind: 'live', of_site_id: null, expires_at: null, host: 'local', driver: 'php-wasm' };
  const columns = 'fqdn, kind, of_site_id, expires_at, host, driver';
  assert.deepEqual(await run(`select ${columns} from sites`), [{ fqdn: 'kept.localhost', ...live }]);
  const dueIn = 'select round(extract(epoch from due_at - now()) / 3600)::int as hours from sites_to_remove order by 1';
  assert.deepEqual(await run(dueIn), [{ hours: 0 }, { hours: 23 }]);
  assert.deepEqual(await run('select key from jobs.schedule'), [{ key: 'site.plan' }]);

  // What brings a site back today knows its further names too.
  await migrate('0066_site_domains.sql');
  const [deleted] = await run<{ id: string }>('select id from deleted_sites');
  await moveFromDeleted(opened.db, deleted?.id as string);
  const back = await run(`select ${columns} from sites where fqdn = 'gone.localhost'`);
  assert.deepEqual(back, [{ fqdn: 'gone.localhost', ...live }]);
});

test('the files of copies are due at once when their team goes, and so is nothing else', async () => {
  await run('delete from sites_to_remove');
  for (const kind of ['stage', 'preview'])
    await run(`
      insert into sites (kind, of_site_id, expires_at, team_id, fqdn, user_id, region_id, domain_option, is_testing,
        http_auth_password_sealed, code_server_password_sealed)
      select '${kind}', id, ${kind === 'preview' ? "now() + interval '1 hour'" : 'null'}, team_id, '${kind}.localhost',
        user_id, region_id, 'platform', true, 'x', 'x' from sites where fqdn = 'kept.localhost'`);
  const copies = await run("select id as site_id, true as is_due from sites where kind <> 'live' order by 1");
  assert.equal(copies.length, 2);
  await run('delete from teams');
  assert.deepEqual(await run('select from sites'), []);
  assert.deepEqual(await run('select site_id, due_at <= now() as is_due from sites_to_remove order by 1'), copies);
});
