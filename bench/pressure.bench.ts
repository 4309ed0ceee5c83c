import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { createClient } from '#sdk';
import { CMS } from '#testkit/app/sites.ts';
import { visit } from '#testkit/clients/visit.ts';
import { prepareWordPress } from '#testkit/drivers/wordpress-cache.ts';
import { median, percentile } from './load.ts';
import type { Report } from './report.ts';
import { type Bench, startBench } from './servers.ts';

/**
 * More sites than the memory takes, all of them visited without a pause: how many pages there are, how many visitors are turned away, and what
 * the site that is served worst gets. Then three sites whose visitors sleep, and a fourth that somebody wants to see. `RUNTIME=fpm`: on native PHP,
 * which needs less for a site.
 */
const RUNTIME = process.env.RUNTIME ?? 'php-wasm';
const IS_NATIVE = RUNTIME === 'fpm';
const SITES = Number(process.env.SITES ?? 12);
const SLOTS_MB = Number(process.env.MEMORY_MB ?? (IS_NATIVE ? 400 : 2048));
const MEASURE_MS = Number(process.env.SECONDS ?? 60) * 1000;
const ROOMY_MB = 8192;
/** Room for three processes, as the platform counts those that it has not seen yet. */
const THREE_MB = IS_NATIVE ? 300 : 1200;
const SLEEP_SECONDS = 55;
const SLEEPERS = 3;
const LOOKS = 3;
const ADMIN = { ADMIN_EMAIL: 'operator@example.com', ADMIN_PASSWORD: 'operator-password' };

interface Service {
  url: string;
  dataDir: string;
  sites: { id: string; fqdn: string }[];
}

interface Served {
  perSecond: number;
  refused: number;
  worst: number;
  best: number;
  p50: number;
  p99: number;
}

export async function run(): Promise<Report> {
  await prepareWordPress();
  const bench = await startBench();
  try {
    const tight = await measure(bench, SLOTS_MB);
    const roomy = process.env.ROOMY === '0' ? undefined : await measure(bench, ROOMY_MB);
    return report(tight, roomy, await measureSleepers(bench));
  } finally {
    await bench.stopAll();
  }
}

/** Each site is of a team of its own, as it is where strangers share a machine. */
async function startService(bench: Bench, memoryMb: number, name: string, count: number): Promise<Service> {
  const dataDir = join(bench.dir, 'data');
  const memory = { PHP_MEMORY_MB: String(memoryMb), RUNTIME, DATA_DIR: dataDir };
  const { url } = await bench.startService({ ...ADMIN, ...memory });
  const db = new pg.Client({ connectionString: bench.databaseUrl });
  await db.connect();
  const teams = [];
  for (let number = 0; number < count; number++) teams.push(await addTeam(db, `${name}${number}`));
  await db.end();
  const body = { username: ADMIN.ADMIN_EMAIL, password: ADMIN.ADMIN_PASSWORD };
  const { access_token: token } = await createClient({ baseUrl: url }).signIn({ body });
  const api = createClient({ baseUrl: url, token });
  const sites = [];
  for (const [number, team_id] of teams.entries()) {
    const fqdn = `${name}${number}.localhost`;
    await api.createSite({ wait: 60, body: { ...CMS, fqdn, team_id } });
    sites.push({ id: (await api.getSite({ params: { fqdn } })).id, fqdn });
  }
  return { url, dataDir, sites };
}

async function addTeam(db: pg.Client, name: string): Promise<string> {
  const { rows } = await db.query(
    `with added as (
       insert into teams (user_id, name, tenant_id, plan_type_name, cycle_start, cycle_end)
       select user_id, $1, $1, 'business', cycle_start, cycle_end from teams order by created_at limit 1 returning id, user_id)
     insert into team_members (team_id, user_id, role) select id, user_id, 'owner' from added returning team_id`,
    [name],
  );
  return rows[0].team_id;
}

async function measure(bench: Bench, memoryMb: number): Promise<Served> {
  const service = await startService(bench, memoryMb, `of${memoryMb}-`, SITES);
  const end = performance.now() + MEASURE_MS;
  const waits: number[] = [];
  let refused = 0;
  const pages = await Promise.all(
    service.sites.map(async ({ fqdn }) => {
      let served = 0;
      while (performance.now() < end) {
        const startedAt = performance.now();
        const { status } = await visit(service, fqdn, `/?fresh=${Math.random()}`);
        if (status === 200) {
          served++;
          waits.push(performance.now() - startedAt);
        } else {
          refused++;
          await sleep(500);
        }
      }
      return served;
    }),
  );
  const sum = pages.reduce((all, one) => all + one, 0);
  return {
    perSecond: sum / (MEASURE_MS / 1000),
    refused: refused / (sum + refused),
    worst: Math.min(...pages),
    best: Math.max(...pages),
    p50: median(waits),
    p99: percentile(waits, 99),
  };
}

/** Three sites are kept busy by two sleeping requests each, one after the other; a visitor looks at a fourth. */
async function measureSleepers(bench: Bench) {
  const service = await startService(bench, THREE_MB, 'sleeper', SLEEPERS + 1);
  const wanted = service.sites.at(-1)?.fqdn as string;
  const isOver = { now: false };
  for (const { id, fqdn } of service.sites.slice(0, SLEEPERS)) {
    const folder = join(service.dataDir, 'sites', id, 'content', 'plugins', 'probe');
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, 'sleep.php'), `<?php sleep(${SLEEP_SECONDS}); echo 'slept';`);
    for (let visitor = 0; visitor < 2; visitor++)
      void (async () => {
        while (!isOver.now) await visit(service, fqdn, '/wp-content/plugins/probe/sleep.php').catch(() => sleep(500));
      })();
    await sleep(4_000);
  }
  const looks: { status: number; ms: number }[] = [];
  for (let look = 0; look < LOOKS; look++) {
    const startedAt = performance.now();
    const { status } = await visit(service, wanted, `/?fresh=${Math.random()}`);
    looks.push({ status, ms: performance.now() - startedAt });
    await sleep(1_000);
  }
  isOver.now = true;
  return looks;
}

function report(tight: Served, roomy: Served | undefined, looks: { status: number; ms: number }[]): Report {
  const row = (name: string, { perSecond, refused, worst, best, p50, p99 }: Served) => [
    name,
    perSecond.toFixed(1),
    `${(refused * 100).toFixed(0)} %`,
    String(worst),
    String(best),
    `${(p50 / 1000).toFixed(1)} s`,
    `${(p99 / 1000).toFixed(1)} s`,
  ];
  return {
    name: 'bench/pressure',
    intro: `${SITES} sites of as many teams, each with a visitor who asks for one page after another for ${MEASURE_MS / 1000} s, none of them cached. Then ${SLEEPERS} sites with requests that sleep ${SLEEP_SECONDS} s, in memory for ${SLEEPERS} processes, and a visitor of a fourth.`,
    tables: [
      {
        head: ['PHP_MEMORY_MB', 'pages a second', '503', 'pages of the worst served site', 'of the best', 'p50', 'p99'],
        rows: [row(String(SLOTS_MB), tight), ...(roomy ? [row(String(ROOMY_MB), roomy)] : [])],
      },
      {
        head: ['the fourth site', 'status', 'wait'],
        rows: looks.map(({ status, ms }, look) => [`look ${look + 1}`, String(status), `${(ms / 1000).toFixed(1)} s`]),
      },
    ],
    goals: [
      { text: `no visitor is turned away (${(tight.refused * 100).toFixed(1)} %)`, met: tight.refused === 0 },
      { text: `every site is served (worst: ${tight.worst} pages)`, met: tight.worst > 0 },
      { text: 'a site is not shut out by others that sleep', met: looks.every(({ status }) => status === 200) },
    ],
  };
}
