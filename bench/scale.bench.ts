import { get } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { type Client, createClient } from '#sdk';
import { CMS } from '#testkit/app/sites.ts';
import { MemoryS3 } from '#testkit/servers/memory-s3.ts';
import { cpuSecondsOf, pssBytesOf } from './proc.ts';
import type { Report } from './report.ts';
import { type Day, simulateDay } from './scale-day.ts';
import { type Bench, startBench } from './servers.ts';

/**
 * What a fleet of 100,000 sites costs besides its pods (docs/scale.md). What one site costs is measured here: rows, writes and requests to the bucket of the real
 * platform, and the memory of a real edge with so many routes. How many sites are awake, and how many change something, is drawn for a day. SITES makes it smaller.
 */
const SITES = Number(process.env.SITES ?? 100_000);
const FEW = 1_000;
const BUSY = 5;
const MINUTES = Number(process.env.BENCH_MINUTES ?? 3);
const MINUTE_MS = 60_000;
const DAYS = 30.4;
/** Prices of Amazon's S3 in us-east-1, in dollars: a thousand puts, a thousand gets, a GB for a month. */
const PRICES = { put: 0.005, get: 0.0004, storage: 0.023 };
/** What is kept of a site on average, after everything that is alike is kept once. */
const KEPT_MB = 150;
const DAY = { medianViews: 30, spread: 1.6, idleMinutes: 10, writeShare: 0.1 };

/** It takes ten minutes, and whoever waits wants to know that it goes on. */
const say = (step: string) => console.error(`${new Date().toISOString()} ${step}`);

export async function run(): Promise<Report> {
  const bench = await startBench();
  const later: (() => unknown)[] = [];
  const bucket = await MemoryS3.start({ after: (work) => void later.push(work) });
  const pool = new pg.Pool({ connectionString: bench.databaseUrl, max: 2 });
  try {
    const { url, ...perMinute } = await measureMinutes(bench, pool, bucket);
    const few = await measureEdge(bench, pool, FEW, url);
    const many = await measureEdge(bench, pool, SITES, url);
    return report(perMinute, few, many, simulateDay({ sites: SITES, ...DAY }));
  } finally {
    await pool.end();
    for (const work of later) await work();
    await bench.stopAll();
  }
}

interface PerMinute {
  /** Rows written, of one site in a minute in which it was changed. */
  changedWrites: number;
  /** Rows written in a minute by a platform on which nothing happens. */
  idleWrites: number;
  puts: number;
  gets: number;
  lists: number;
}

/** The real platform with a few sites, idle for some minutes and then with a change in each of them in every minute. */
async function measureMinutes(bench: Bench, pool: pg.Pool, bucket: MemoryS3): Promise<PerMinute & { url: string }> {
  const { url } = await bench.startService({
    RUNTIME: 'memory',
    ADMIN_EMAIL: 'operator@example.com',
    ADMIN_PASSWORD: 'operator-password',
    BACKUP_STORE: 's3://bucket/fleet',
    AWS_ENDPOINT_URL_S3: bucket.account.endpoint,
    AWS_ACCESS_KEY_ID: bucket.account.accessKeyId,
    AWS_SECRET_ACCESS_KEY: bucket.account.secretAccessKey,
  });
  say('sites of a few');
  const { api, names } = await makeSites(url, pool);
  await sleep(1.5 * MINUTE_MS);
  say('nothing happens');
  const idle = await during(pool, bucket, async () => sleep(MINUTE_MS));
  say('a change a minute');
  const busy = await during(pool, bucket, async () => {
    for (let minute = 0; minute < MINUTES; minute++) {
      for (const fqdn of names)
        await api.uploadSiteFile({
          params: { fqdn },
          query: { path: `uploads/${minute}.txt` },
          body: new Blob([`${fqdn} in minute ${minute}`]),
        });
      await sleep(MINUTE_MS);
    }
  });
  const siteMinutes = names.length * MINUTES;
  const of = (count: number, before: number) => Math.max(0, (count - before * MINUTES) / siteMinutes);
  return {
    url,
    idleWrites: idle.writes,
    changedWrites: of(busy.writes, idle.writes),
    puts: of(busy.asked.PUT ?? 0, idle.asked.PUT ?? 0),
    gets: of(busy.asked.GET ?? 0, idle.asked.GET ?? 0),
    lists: of(busy.asked.HEAD ?? 0, idle.asked.HEAD ?? 0),
  };
}

async function makeSites(url: string, pool: pg.Pool): Promise<{ api: Client; names: string[] }> {
  const grant = await createClient({ baseUrl: url }).signIn({
    body: { username: 'operator@example.com', password: 'operator-password' },
  });
  const api = createClient({ baseUrl: url, token: grant.access_token });
  const team = (await api.listTeams()).results[0];
  await pool.query("update teams set plan_type_name = 'business', additional_sites = 100000");
  const names = Array.from({ length: BUSY }, (_, number) => `busy-${number}.localhost`);
  for (const fqdn of names) await api.createSite({ wait: 60, body: { ...CMS, fqdn, team_id: team?.id as string } });
  return { api, names };
}

async function during(pool: pg.Pool, bucket: MemoryS3, work: () => Promise<unknown>) {
  const before = { writes: await writesOf(pool), asked: { ...bucket.asked } };
  await work();
  const writes = (await writesOf(pool)) - before.writes;
  const asked: Record<string, number> = {};
  for (const [method, count] of Object.entries(bucket.asked)) asked[method] = count - (before.asked[method] ?? 0);
  return { writes, asked };
}

/** Rows that were ever written, in all tables, those of the queue of jobs included. */
async function writesOf(pool: pg.Pool): Promise<number> {
  await pool.query('select pg_stat_clear_snapshot()');
  const { rows } = await pool.query(
    'select sum(n_tup_ins + n_tup_upd + n_tup_del)::float as writes from pg_stat_user_tables',
  );
  return rows[0].writes;
}

interface Grown {
  /** Until an edge that runs knows the last of the sites that were made in one moment. */
  knownMs: number;
  edgeBytes: number;
  startMs: number;
  /** Of a processor. */
  startSeconds: number;
  databaseBytes: number;
  rows: number;
}

/** An edge of its own on a database with so many sites, each with a name and a day of usage; the platform of before runs on meanwhile. */
async function measureEdge(bench: Bench, pool: pg.Pool, sites: number, url: string): Promise<Grown> {
  say(`${sites} sites`);
  await grow(pool, sites);
  const grownMs = performance.now();
  await isKnown(url, `fleet-${sites}.localhost`);
  const knownMs = performance.now() - grownMs;
  say('a day of usage');
  await addUsage(pool);
  say(`an edge of ${sites} sites`);
  const begunMs = performance.now();
  const { pid } = await bench.startService({ ROLE: 'edge', RUNTIME: 'memory', DATA_DIR: `${bench.dir}/edge-${sites}` });
  const startMs = performance.now() - begunMs;
  const startSeconds = cpuSecondsOf(pid);
  await sleep(10_000);
  const edgeBytes = pssBytesOf(pid);
  process.kill(pid, 'SIGTERM');
  const { rows } = await pool.query(
    'select pg_database_size(current_database())::float as bytes, (select sum(n_live_tup)::float from pg_stat_user_tables) as rows',
  );
  return { knownMs, edgeBytes, startMs, startSeconds, databaseBytes: rows[0].bytes, rows: rows[0].rows };
}

async function grow(pool: pg.Pool, sites: number): Promise<void> {
  await pool.query(
    `insert into sites (host, driver, team_id, user_id, fqdn, title, region_id, domain_option, is_testing, is_sleeping,
       http_auth_password_sealed, code_server_password_sealed, core_version, php_version, created_at)
     select 'kube.' || gen_random_uuid(), o.driver, o.team_id, o.user_id, 'fleet-' || n || '.localhost', 'Bakery number ' || n, o.region_id, 'platform', true, true,
       o.http_auth_password_sealed, o.code_server_password_sealed, o.core_version, o.php_version, now()
     from generate_series((select count(*) from sites) + 1, $1::int) n, (select * from sites where fqdn = 'busy-0.localhost') o`,
    [sites],
  );
  await pool.query(
    'insert into site_names (fqdn, site_id) select fqdn, id from sites s where not exists (select from site_names n where n.site_id = s.id)',
  );
}

async function addUsage(pool: pg.Pool): Promise<void> {
  await pool.query(
    `insert into site_usage (site_id, hour, visits) select id, date_trunc('hour', now()) - h * interval '1 hour', 5
     from sites, generate_series(0, 23) h on conflict do nothing`,
  );
  await pool.query('vacuum analyze');
}

/** Nobody runs it, but it is no name that the edge does not know. */
async function isKnown(url: string, fqdn: string): Promise<void> {
  const { port } = new URL(url);
  const status = () =>
    new Promise<number>((resolve, reject) => {
      get({ port, host: '127.0.0.1', headers: { host: fqdn }, agent: false }, (answer) => {
        answer.resume().once('end', () => resolve(answer.statusCode ?? 0));
      }).once('error', reject);
    });
  while ((await status()) === 404) await sleep(100);
}

const MB = 1024 ** 2;
const thousands = (value: number) => Math.round(value).toLocaleString('en-US');
const dollars = (value: number) => `$ ${thousands(value)}`;

function report(perMinute: PerMinute, few: Grown, many: Grown, day: Day): Report {
  const more = SITES - FEW;
  const routeBytes = (many.edgeBytes - few.edgeBytes) / more;
  const rowBytes = (many.databaseBytes - few.databaseBytes) / more;
  const puts = day.changedMinutes * DAYS * perMinute.puts;
  const gets = day.changedMinutes * DAYS * perMinute.gets;
  const storage = (SITES * KEPT_MB) / 1024;
  const peakShare = day.awakePeak / day.awakeMean;
  const writes = (day.changedMinutes / 1440) * peakShare * perMinute.changedWrites;
  const heartbeats = day.awakePeak * (60 / 20);
  return {
    name: 'bench/scale',
    intro: `${thousands(SITES)} sites. A day is drawn: the median site has ${DAY.medianViews} page views that no cache answers, sites differ log-normally (sigma ${DAY.spread}), a tenth of those views changes something, a pod sleeps after ${DAY.idleMinutes} minutes. ${BUSY} sites of the real platform were changed in each of ${MINUTES} minutes.`,
    tables: [
      {
        head: ['what grows', 'with', 'of one', `${thousands(SITES)} sites`],
        rows: [
          ['awake, on average', 'visits', '', thousands(day.awakeMean)],
          ['awake, in the evening', 'visits', '', thousands(day.awakePeak)],
          ['wakes a minute, at most', 'visits', '', thousands(day.wakesPerMinutePeak)],
          [
            'size of Postgres',
            'sites',
            `${(rowBytes / 1024).toFixed(1)} KB`,
            `${thousands(many.databaseBytes / MB)} MB`,
          ],
          ['rows in Postgres', 'sites', ((many.rows - few.rows) / more).toFixed(1), thousands(many.rows)],
          [
            'rows written a second, by changes',
            'changed minutes',
            perMinute.changedWrites.toFixed(1),
            thousands(writes / 60),
          ],
          ['rows written a second, by pods that say they live', 'awake sites', '0.05', thousands(heartbeats / 60)],
          [
            'memory of an edge',
            'names',
            `${(routeBytes / 1024).toFixed(1)} KB`,
            `${thousands(many.edgeBytes / MB)} MB`,
          ],
          [
            'start of an edge',
            'names',
            '',
            `${(many.startMs / 1000).toFixed(1)} s (with ${thousands(FEW)}: ${(few.startMs / 1000).toFixed(1)} s)`,
          ],
          [
            'processor that its start takes',
            'names',
            '',
            `${many.startSeconds.toFixed(1)} s (with ${thousands(FEW)}: ${few.startSeconds.toFixed(1)} s)`,
          ],
          [
            'sites that are made in one moment are known to an edge that runs',
            'names',
            '',
            `after ${(many.knownMs / 1000).toFixed(1)} s`,
          ],
          [
            'puts to S3 a month',
            'changed minutes',
            perMinute.puts.toFixed(2),
            `${thousands(puts / 1e6)} million, ${dollars((puts / 1000) * PRICES.put)}`,
          ],
          [
            'gets and lists of S3 a month',
            'changed minutes',
            (perMinute.gets + perMinute.lists).toFixed(2),
            `${thousands(gets / 1e6)} million, ${dollars((gets / 1000) * PRICES.get)}`,
          ],
          [
            'kept in S3',
            'sites',
            `${KEPT_MB} MB (assumed)`,
            `${thousands(storage / 1024)} TB, ${dollars(storage * PRICES.storage)}`,
          ],
        ],
      },
    ],
    goals: [
      {
        text: `an edge holds the routes of ${thousands(SITES)} sites in at most 1 GB (${thousands(many.edgeBytes / MB)} MB)`,
        met: many.edgeBytes < 1024 * MB,
      },
    ],
  };
}
