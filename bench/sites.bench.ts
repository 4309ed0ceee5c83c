import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { type Client, createClient } from '#sdk';
import { CMS } from '#testkit/app/sites.ts';
import { type Visited, visit } from '#testkit/clients/visit.ts';
import { prepareWordPress } from '#testkit/drivers/wordpress-cache.ts';
import { type DurabilityRow, measureDurability } from './durability.ts';
import { median, percentile } from './load.ts';
import { commandOf, descendants, pssBytesOf } from './proc.ts';
import type { Report } from './report.ts';
import { type Bench, startBench } from './servers.ts';
import { measureBesideSleep, measureEditor, measureLongRun, measureVisitors } from './sites-load.ts';

/**
 * What a person waits for: until a site exists, until its first page, until a sleeping one answers; what a site costs
 * while nobody visits it; whether a thousand sites make any of that slower; and what a site bears (sites-load.ts).
 */
const ROUNDS = 7;
const MANY = 1_000;
const LIST_CALLS = 300;
const STANDBY = 1;

export async function run(): Promise<Report> {
  await prepareWordPress();
  const { few, many, loaded } = await measurePlatform();
  const { tables, goals, ...rest } = report(few, many, await measureDurability());
  return { ...rest, tables: [...tables, ...loaded.tables], goals: [...goals, ...loaded.goals] };
}

async function measurePlatform() {
  const bench = await startBench();
  try {
    const service = await startService(bench);
    const few = await measureFew(bench, service);
    const loaded = await measureLoad(bench, service);
    const many = await measureMany(bench, service);
    return { few, many, loaded };
  } finally {
    await bench.stopAll();
  }
}

interface Service {
  url: string;
  pid: number;
  dataDir: string;
  api: Client;
  teamId: string;
  startMs: number;
}

const ADMIN = { ADMIN_EMAIL: 'operator@example.com', ADMIN_PASSWORD: 'operator-password' };

async function startService(bench: Bench, standby = STANDBY, more: Record<string, string> = {}): Promise<Service> {
  const dataDir = join(bench.dir, 'data');
  const startedAt = performance.now();
  const env = { ...ADMIN, STANDBY_WORKERS: String(standby), DATA_DIR: dataDir, ...more };
  const { url, pid } = await bench.startService(env);
  const startMs = performance.now() - startedAt;
  const grant = await createClient({ baseUrl: url }).signIn({
    body: { username: ADMIN.ADMIN_EMAIL, password: ADMIN.ADMIN_PASSWORD },
  });
  const api = createClient({ baseUrl: url, token: grant.access_token });
  const team = (await api.listTeams()).results[0];
  await withDatabase(bench, (db) => db.query("update teams set plan_type_name = 'business', additional_sites = 5000"));
  return { url, dataDir, api, teamId: team?.id as string, pid, startMs };
}

async function measureFew(bench: Bench, service: Service) {
  const { pid } = service;
  const created: number[] = [];
  const firstPage: number[] = [];
  const wakeWarm: number[] = [];
  await createSite(service, 'first.localhost');
  for (let round = 0; round < ROUNDS; round++) {
    await standbyIsReady(service);
    const name = `site${round}.localhost`;
    const startedAt = performance.now();
    created.push(await createSite(service, name));
    await page(service, name);
    firstPage.push(performance.now() - startedAt);

    await putToSleep(service, name);
    await standbyIsReady(service);
    wakeWarm.push(await timed(() => page(service, name)));
    await putToSleep(service, name);
  }
  // Awake since it was created.
  await putToSleep(service, 'first.localhost');
  await standbyIsReady(service);
  const asleepBytes = pssOf(phpProcesses(pid));
  const asleepProcesses = phpProcesses(pid).length - STANDBY;
  await page(service, 'first.localhost');
  await standbyIsReady(service);
  const awakeBytes = pssOf(phpProcesses(pid)) - asleepBytes;
  const tenMs = await timed(() =>
    Promise.all(Array.from({ length: 10 }, (_, index) => createSite(service, `ten${index}.localhost`))),
  );
  const { rows } = await withDatabase(bench, (db) =>
    db.query('select min(storage_bytes) as bytes from sites where fqdn like $1', ['ten%']),
  );
  return {
    created,
    firstPage,
    wakeWarm,
    tenMs,
    awakeBytes,
    asleepProcesses,
    diskBytes: Number(rows[0].bytes),
  };
}

async function measureLoad(bench: Bench, service: Service) {
  const names = [0, 1, 2, 3].map((number) => `load${number}.localhost`);
  const ids = [];
  for (const name of names) ids.push(await siteId(service, name));
  const site = { id: ids[0] as string, fqdn: names[0] as string };
  await page(service, site.fqdn);
  await standbyIsReady(service);
  const beside = await measureBesideSleep(service, site);
  const visitors = await measureVisitors(service, names);
  const editor = await measureEditor(service, site.fqdn);
  for (const name of names) await putToSleep(service, name);
  // One process for all visitors, and no warm one, so that there is no doubt which it is.
  const alone = await startService(bench, 0, { PHP_PROCESSES_PER_SITE: '1' });
  await page(alone, site.fqdn);
  const [process = 0] = phpProcesses(alone.pid);
  const long = await measureLongRun(alone, site, () => (phpProcesses(alone.pid).includes(process) ? process : 0));
  const parts = [beside, visitors, editor, long];
  return {
    tables: parts.map(({ table }) => table),
    goals: [...beside.goals, ...editor.goals, ...long.goals],
  };
}

/** Creates a site and tells its id. */
async function siteId(service: Service, fqdn: string): Promise<string> {
  await createSite(service, fqdn);
  return (await service.api.getSite({ params: { fqdn } })).id;
}

async function measureMany(bench: Bench, service: Service) {
  const listBefore = await listTimes(service);
  const lookupBefore = await lookupTimes(service);
  const createBefore = await createSite(service, 'before.localhost');
  const count = await countSites(bench);
  // The rows are real, as are the names and routes; asleep as they are, nobody looks into their folders.
  await withDatabase(bench, (db) =>
    db.query(
      `insert into sites select (jsonb_populate_record(s, jsonb_build_object('id', gen_random_uuid(), 'fqdn', 'many' || n || '.localhost',
         'is_sleeping', true, 'created_at', now() - n * interval '1 second'))).* from sites s, generate_series(1, $1::int) n where s.fqdn = 'first.localhost'`,
      [MANY - count],
    ),
  );
  await withDatabase(bench, (db) =>
    db.query('insert into site_names (fqdn, site_id) select fqdn, id from sites on conflict do nothing'),
  );
  await sleep(2_000);
  const listAfter = await listTimes(service);
  const lookupAfter = await lookupTimes(service);
  const createAfter = await createSite(service, 'after.localhost');
  const startBefore = service.startMs;
  // A second process on the same data, without warm PHP.
  const second = await startService(bench, 0);
  const startAfter = second.startMs;
  const wakeCold: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    await page(second, 'first.localhost');
    await putToSleep(second, 'first.localhost');
    await gaugeIs(second, 'siteyard_sites_awake', 0);
    wakeCold.push(await timed(() => page(second, 'first.localhost')));
  }
  return {
    listBefore,
    listAfter,
    lookupBefore,
    lookupAfter,
    createBefore,
    createAfter,
    startBefore,
    startAfter,
    wakeCold,
  };
}

function report(
  few: Awaited<ReturnType<typeof measureFew>>,
  many: Awaited<ReturnType<typeof measureMany>>,
  durability: DurabilityRow[],
): Report {
  const ms = (value: number) => `${value.toFixed(value < 10 ? 1 : 0)} ms`;
  const mb = (bytes: number) => `${(bytes / 1e6).toFixed(bytes < 1e7 ? 2 : 0)} MB`;
  const seconds = (values: number[]) => median(values) / 1000;
  const p99 = (values: number[]) => percentile(values, 99);
  const listRatio = p99(many.listAfter) / p99(many.listBefore);
  return {
    name: 'bench/sites',
    intro: `Real WordPress on the embedded driver, median of ${ROUNDS} rounds.`,
    tables: [
      {
        head: ['', 'figure', 'slowest'],
        rows: [
          ['create, until `busy` is null', ms(median(few.created)), ms(Math.max(...few.created))],
          ['create ten side by side', ms(few.tenMs), ''],
          ['create and first page, warm standby', ms(median(few.firstPage)), ms(Math.max(...few.firstPage))],
          ['wake to the whole first page, warm standby', ms(median(few.wakeWarm)), ms(Math.max(...few.wakeWarm))],
          ['wake to the whole first page, no standby', ms(median(many.wakeCold)), ms(Math.max(...many.wakeCold))],
          ['memory of an awake site (PSS)', mb(few.awakeBytes), ''],
          ['PHP processes of sleeping sites', String(few.asleepProcesses), ''],
          ['disk of an empty site', mb(few.diskBytes), ''],
        ],
      },
      {
        head: ['', 'with about 20 sites', `with ${MANY}`],
        rows: [
          ['list page of 50, p50', ms(median(many.listBefore)), ms(median(many.listAfter))],
          ['list page of 50, p99', ms(p99(many.listBefore)), ms(p99(many.listAfter))],
          ['cached page by host, p50', ms(median(many.lookupBefore)), ms(median(many.lookupAfter))],
          ['create, until `busy` is null', ms(many.createBefore), ms(many.createAfter)],
          ['start of the service (with few: on an empty database)', ms(many.startBefore), ms(many.startAfter)],
        ],
      },
      {
        head: ['p50, nobody else at work', 'on disk', 'in memory', 'waiting for the disk'],
        rows: durability.map(({ work, diskMs, memoryMs }) => [work, ms(diskMs), ms(memoryMs), ms(diskMs - memoryMs)]),
      },
    ],
    goals: [
      { text: `create below 1 s (${seconds(few.created).toFixed(2)} s)`, met: seconds(few.created) < 1 },
      { text: `ten side by side below 5 s (${(few.tenMs / 1000).toFixed(2)} s)`, met: few.tenMs < 5_000 },
      { text: `first page below 3 s (${seconds(few.firstPage).toFixed(2)} s)`, met: seconds(few.firstPage) < 3 },
      {
        text: `wake with a standby below 1.5 s (${seconds(few.wakeWarm).toFixed(2)} s)`,
        met: seconds(few.wakeWarm) < 1.5,
      },
      { text: `wake without one below 3 s (${seconds(many.wakeCold).toFixed(2)} s)`, met: seconds(many.wakeCold) < 3 },
      { text: `an empty site below 5 MB (${mb(few.diskBytes)})`, met: few.diskBytes < 5e6 },
      { text: `list page p99 within 2 x (${listRatio.toFixed(2)} x)`, met: listRatio <= 2 },
    ],
  };
}

async function createSite({ api, teamId }: Service, fqdn: string): Promise<number> {
  return timed(async () => {
    const site = await api.createSite({
      body: {
        fqdn,
        team_id: teamId,
        ...CMS,
      },
      wait: 60,
    });
    if (site.busy !== null) throw new Error(`${fqdn} is still ${site.busy}`);
  });
}

/** Never from the cache: the query is new each time. */
async function page(service: Service, host: string): Promise<Visited> {
  const answer = await visit(service, host, `/?fresh=${Math.random()}`);
  if (answer.status !== 200) throw new Error(`${host} answered ${answer.status}`);
  return answer;
}

async function putToSleep({ api }: Service, fqdn: string): Promise<void> {
  await api.sleepSite({ params: { fqdn }, wait: 10 });
}

const standbyIsReady = (service: Service) => gaugeIs(service, 'siteyard_php_standby_ready', STANDBY);

async function gaugeIs({ url, dataDir }: Service, name: string, value: number): Promise<void> {
  const token = readFileSync(join(dataDir, 'metrics-token'), 'utf8').trim();
  for (;;) {
    const metrics = await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${token}` } });
    if (new RegExp(`^${name} ${value}$`, 'm').test(await metrics.text())) return;
    await sleep(100);
  }
}

async function listTimes({ api }: Service): Promise<number[]> {
  const times: number[] = [];
  for (let call = 0; call < LIST_CALLS; call++) times.push(await timed(() => api.listSites({ query: { size: 50 } })));
  return times.slice(LIST_CALLS / 10);
}

async function lookupTimes(service: Service): Promise<number[]> {
  await visit(service, 'first.localhost', '/');
  const times: number[] = [];
  for (let call = 0; call < LIST_CALLS; call++) times.push(await timed(() => visit(service, 'first.localhost', '/')));
  return times.slice(LIST_CALLS / 10);
}

function phpProcesses(pid: number): number[] {
  return descendants(pid).filter((each) => commandOf(each).includes('php-wasm/worker'));
}

function pssOf(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => sum + pssBytesOf(pid), 0);
}

async function countSites(bench: Bench): Promise<number> {
  const { rows } = await withDatabase(bench, (db) => db.query('select count(*)::int as count from sites'));
  return rows[0].count;
}

async function withDatabase<T>(bench: Bench, work: (db: pg.Client) => Promise<T>): Promise<T> {
  const db = new pg.Client({ connectionString: bench.databaseUrl });
  await db.connect();
  try {
    return await work(db);
  } finally {
    await db.end();
  }
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}
