import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { databaseFile } from '#runtimes/folders/site-folder.ts';
import { SqliteFile } from '#runtimes/folders/sqlite-file.ts';
import { type Person, registerPerson } from '#testkit/app/people.ts';
import { type ServiceProcess, spawnService } from '#testkit/app/service-process.ts';
import { CMS, newFqdn, newSite } from '#testkit/app/sites.ts';
import { createTestDatabase } from '#testkit/app/test-app.ts';
import { eventually } from '#testkit/expect.ts';
import { freePort } from '#testkit/free-port.ts';
import { Random, SEED } from '#testkit/random.ts';

/**
 * Kills the service again and again while sites are created, renamed and deleted. In the end each work is finished or
 * undone: every row has its folder and every folder its row, no name leads nowhere, nothing is busy.
 */
const KILLS = Number(process.env.KILLS ?? 3);
const WRITERS = 6;
const random = new Random(SEED);

const dataDir = mkdtempSync(join(tmpdir(), 'siteyard-site-kill-'));
let database: Awaited<ReturnType<typeof createTestDatabase>>;
let client: pg.Client;
let service: ServiceProcess | undefined;
let port: number;

before(async () => {
  database = await createTestDatabase();
  client = new pg.Client({ connectionString: database.url });
  await client.connect();
  port = await freePort();
});
after(async () => {
  service?.kill('SIGKILL');
  await service?.exited;
  await client?.end();
  await database?.drop();
  rmSync(dataDir, { recursive: true, force: true });
});

async function start(): Promise<string> {
  service = spawnService({
    RUNTIME: 'memory',
    PORT: String(port),
    DATA_DIR: dataDir,
    DATABASE_URL: database.url,
    SECRET_KEY: 'a key for tests that is long enough',
    ADMIN_PASSWORD: 'operator-password',
    RATE_LIMIT_FACTOR: '0',
    LOG_LEVEL: 'silent',
  });
  return service.ready;
}

async function kill(): Promise<void> {
  service?.kill('SIGKILL');
  await service?.exited;
}

/** Does one thing after another, whatever becomes of each; the service may be gone at any moment. */
async function write(owner: Person, stop: AbortSignal, done: Record<string, number>): Promise<void> {
  const count = (what: string) => {
    done[what] = (done[what] ?? 0) + 1;
  };
  while (!stop.aborted) {
    try {
      const body = { ...CMS, fqdn: newFqdn(), team_id: owner.teamId };
      const { fqdn } = await owner.api.createSite({ wait: 5, body });
      count('created');
      const renamed = await owner.api.updateSite({ wait: 5, params: { fqdn }, body: { new_fqdn: newFqdn() } });
      count('renamed');
      if (random.below(10) < 3) continue;
      await owner.api.deleteSite({ params: { fqdn: renamed.fqdn } });
      count('deleted');
    } catch {
      await sleep(20);
    }
  }
}

const rows = async (text: string) => (await client.query(text)).rows;

test('after any kill each creation, rename and deletion is finished or undone', async () => {
  const url = await start();
  const owner = await registerPerson({ url } as Parameters<typeof registerPerson>[0], 'Owner', {
    verified: false,
  });
  await client.query('update teams set additional_sites = 1000000');
  await newSite(owner);
  const stop = new AbortController();
  const done: Record<string, number> = {};
  const writers = Array.from({ length: WRITERS }, () => write(owner, stop.signal, done));
  for (let count = 0; count < KILLS; count++) {
    await sleep(300 + random.below(700));
    await kill();
    await start();
  }
  // On a slow machine nothing may have come to its end between two kills.
  await eventually(async () => {
    const [counts] = await rows(
      'select (select count(*) from sites) as sites, (select count(*) from deleted_sites) as deleted',
    );
    return Number(counts.sites) > 1 && Number(counts.deleted) > 0;
  }, 60_000);
  stop.abort();
  await Promise.all(writers);
  await eventually(async () => {
    const pending = await rows("select 1 from jobs.job where state < 'completed' and name in ('site', 'dead')");
    return pending.length === 0;
  }, 90_000);

  const sites = await rows('select id, fqdn, busy from sites');
  const deleted = await rows('select id from deleted_sites');
  const ids = (found: { id: string }[]) => found.map(({ id }) => id).sort();
  console.log(`${KILLS} kills; acknowledged ${JSON.stringify(done)}; ${sites.length} sites, ${deleted.length} deleted`);
  assert.ok(sites.length > 1 && deleted.length > 0, 'too little happened to prove anything');
  assert.deepEqual(
    sites.filter(({ busy }) => busy !== null),
    [],
  );
  assert.deepEqual(readdirSync(join(dataDir, 'sites')).sort(), ids(sites));
  assert.deepEqual(readdirSync(join(dataDir, 'deleted-sites')).sort(), ids(deleted));
  const names = await rows('select fqdn, site_id as id from site_names order by 1');
  const isMain = (name: { fqdn: string; id: string }) => sites.some(({ fqdn }) => fqdn === name.fqdn);
  assert.deepEqual(
    names.filter(isMain).map(({ fqdn, id }) => `${fqdn} ${id}`),
    sites.map(({ fqdn, id }) => `${fqdn} ${id}`).sort(),
  );
  // The name before a rename goes on. One of a creation or a rename that was undone does not.
  for (const { fqdn, id } of names.filter((name) => !isMain(name))) {
    const events = await rows(`select from events where site_live_id = '${id}' and event_type = 'site.created'
      and activity like '%${fqdn}' and not detail ? 'failure'`);
    assert.equal(events.length, 1, `${fqdn} of ${id} was never the name of a site`);
  }
  assert.deepEqual(await rows('select id, event_type, detail from events where finished_at is null'), []);
  assert.deepEqual(await rows('select kind, error from failed_jobs'), []);
  for (const { id, fqdn } of sites) {
    assert.equal(await homeOf(id), `http://${fqdn}:${port}`);
  }
  const [storage] = await rows(
    `select storage_usage, (select sum(storage_bytes) from sites) as measured from teams where id = '${owner.teamId}'`,
  );
  assert.equal(Number(storage.storage_usage), Number(storage.measured));
});

async function homeOf(siteId: string): Promise<unknown> {
  const site = new SqliteFile(databaseFile(join(dataDir, 'sites', siteId)));
  const found = await site.query("select option_value from wp_options where option_name = 'home'");
  site.close();
  return found[0]?.option_value;
}
