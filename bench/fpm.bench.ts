import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { createLog } from '#core/log.ts';
import { Distribution } from '#runtimes/wordpress/distribution.ts';
import { createClient } from '#sdk';
import { CMS } from '#testkit/app/sites.ts';
import { visit } from '#testkit/clients/visit.ts';
import { WORDPRESS_CACHE } from '#testkit/drivers/wordpress-cache.ts';
import { type HandMade, startHandMade } from './fpm-peer.ts';
import { median, percentile } from './load.ts';
import { commandOf, cpuSecondsOfTree, descendants, pssBytesOf } from './proc.ts';
import type { Goal, Report } from './report.ts';
import { startBench } from './servers.ts';

/** Sites on native PHP, beside a WordPress that somebody set up by hand with nginx, PHP-FPM and MariaDB, in the same run and in turns. */
const ROUNDS = Number(process.env.ROUNDS ?? 5);
const PAGES = Number(process.env.PAGES ?? 60);
const SLEEPING = Number(process.env.SLEEPING ?? 100);
/** What both have their rows in: mariadb or sqlite. */
const DATABASE = process.env.SITE_DATABASE ?? 'mariadb';
const PROCESSES = 4;
const VISITORS = [1, 8, 32] as const;
const ADMIN = { ADMIN_EMAIL: 'operator@example.com', ADMIN_PASSWORD: 'operator-password' };

export async function run(): Promise<Report> {
  const bench = await startBench();
  let peer: HandMade | undefined;
  try {
    const env = { ...ADMIN, RUNTIME: 'fpm', SITE_DATABASE: DATABASE, PHP_PROCESSES_PER_SITE: String(PROCESSES) };
    const service = { ...(await bench.startService(env)), dataDir: join(bench.dir, 'data') };
    const grant = await createClient({ baseUrl: service.url }).signIn({
      body: { username: ADMIN.ADMIN_EMAIL, password: ADMIN.ADMIN_PASSWORD },
    });
    const api = createClient({ baseUrl: service.url, token: grant.access_token });
    const teamId = (await api.listTeams()).results[0]?.id as string;
    await withPlan(bench.databaseUrl);
    const create = async (fqdn: string) => {
      const site = await api.createSite({ body: { fqdn, team_id: teamId, ...CMS }, wait: 60 });
      if (site.busy !== null) throw new Error(`${fqdn} is still ${site.busy}`);
      return site.id;
    };
    const ask = async (target: { url: string }, host: string) => {
      const { status } = await visit(target, host, `/?fresh=${Math.random()}`);
      if (status !== 200) throw new Error(`${host} answered ${status}`);
    };
    const id = await create('ours.localhost');
    const ours = () => ask(service, 'ours.localhost');
    await ours();
    const folder = join(service.dataDir, 'sites', id);
    const distribution = new Distribution(WORDPRESS_CACHE, undefined, createLog('silent'));
    const [coreVersion = ''] = await distribution.coreVersions();
    const handMade = await startHandMade({
      dir: join(bench.dir, 'peer'),
      core: distribution.coreFolder(coreVersion),
      sqlite: (await distribution.tools()).sqliteFolder,
      site: { content: join(folder, 'content'), database: join(folder, 'database') },
      rows: DATABASE === 'mariadb' ? { dataDir: service.dataDir, siteId: id } : undefined,
      processes: PROCESSES,
    });
    peer = handMade;
    const theirs = () => ask(handMade, new URL(handMade.url).hostname);
    for (let count = 0; count < 10; count++) await Promise.all([ours(), theirs()]);

    const cpuOf = (pids: (number | undefined)[]) =>
      pids.reduce((sum: number, pid) => sum + (pid === undefined ? 0 : cpuSecondsOfTree(pid)), 0);
    const ourCpu = () => cpuOf([service.pid, bench.postgresPid]);
    const theirCpu = () => cpuOf(Object.values(handMade.pids));
    const pages = { ours: [] as number[], theirs: [] as number[] };
    for (let round = 0; round < ROUNDS; round++) {
      pages.ours.push(await cpuMs(ourCpu, ours));
      pages.theirs.push(await cpuMs(theirCpu, theirs));
    }
    const waits = [];
    for (const visitors of VISITORS) {
      const each = { visitors, ours: [] as number[], theirs: [] as number[] };
      for (let round = 0; round < ROUNDS; round++) {
        each.ours.push(...(await wait(visitors, ours)));
        each.theirs.push(...(await wait(visitors, theirs)));
      }
      waits.push(each);
    }
    const awakeBytes = pssOf(service.pid);
    const theirBytes = descendants(handMade.pids.fpm).reduce((sum, pid) => sum + pssBytesOf(pid), 0);

    const wakes: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      await api.sleepSite({ params: { fqdn: 'ours.localhost' }, wait: 10 });
      wakes.push(await timed(ours));
    }
    await api.sleepSite({ params: { fqdn: 'ours.localhost' }, wait: 10 });
    const creates: number[] = [];
    for (let number = 0; number < SLEEPING; number++) creates.push(await timed(() => create(`new${number}.localhost`)));
    for (let number = 0; number < SLEEPING; number++)
      await api.sleepSite({ params: { fqdn: `new${number}.localhost` }, wait: 10 });
    const asleep = phpOf(service.pid).length;
    const sites = readdirSync(join(service.dataDir, 'sites')).length;
    return report({ pages, waits, awakeBytes, theirBytes, wakes, creates, asleep, sites });
  } finally {
    await peer?.stop();
    await bench.stopAll();
  }
}

/** One that has room for as many sites. */
async function withPlan(databaseUrl: string): Promise<void> {
  const db = new pg.Client({ connectionString: databaseUrl });
  await db.connect();
  await db.query("update teams set plan_type_name = 'business', additional_sites = 5000").finally(() => db.end());
}

interface Found {
  pages: Record<'ours' | 'theirs', number[]>;
  waits: { visitors: number; ours: number[]; theirs: number[] }[];
  awakeBytes: number;
  theirBytes: number;
  wakes: number[];
  creates: number[];
  asleep: number;
  sites: number;
}

function report({ pages, waits, awakeBytes, theirBytes, wakes, creates, asleep, sites }: Found): Report {
  const ms = (value: number) => `${value.toFixed(value < 10 ? 1 : 0)} ms`;
  const mb = (bytes: number) => `${(bytes / 1e6).toFixed(0)} MB`;
  const row = (name: string, ours: number, theirs: number, show: (value: number) => string) => [
    name,
    show(ours),
    show(theirs),
    (ours / theirs).toFixed(2),
  ];
  const page = median(pages.ours) / median(pages.theirs);
  const eight = waits.find(({ visitors }) => visitors === 8);
  const late = percentile(eight?.ours ?? [], 99) / percentile(eight?.theirs ?? [], 99);
  const goal = (text: string, value: number, most: number, show: (value: number) => string): Goal => ({
    text: `${text}: at most ${show(most)} (${show(value)})`,
    met: value <= most,
  });
  const times = (value: number) => `${value.toFixed(2)} x`;
  return {
    name: 'bench/fpm',
    intro: `A page that no cache has, of a site on native PHP (edge, database of the platform and sandbox included) and of a WordPress set up by hand with nginx and PHP-FPM; both on ${DATABASE === 'mariadb' ? 'MariaDB' : 'SQLite'}, which counts too, with ${PROCESSES} processes. Medians of ${ROUNDS} rounds of ${PAGES} pages in turns.`,
    tables: [
      {
        head: ['', 'ours', 'by hand', 'ratio'],
        rows: [
          row('a page, of the processor', median(pages.ours), median(pages.theirs), ms),
          ...waits.flatMap(({ visitors, ours, theirs }) => [
            row(`${visitors} visitors at once, half wait`, median(ours), median(theirs), ms),
            row(`${visitors} visitors at once, 99 of 100 wait`, percentile(ours, 99), percentile(theirs, 99), ms),
          ]),
          row('memory of PHP after that', awakeBytes, theirBytes, mb),
        ],
      },
      {
        head: ['', 'ours'],
        rows: [
          ['the first page of a site that sleeps', ms(median(wakes))],
          ['a new site', ms(median(creates))],
          [`processes of PHP while ${sites} sites sleep`, String(asleep)],
        ],
      },
    ],
    goals: [
      goal('a page, of the processor', page, 1.15, times),
      goal('8 visitors, 99 of 100', late, 1.3, times),
      goal('the first page of a site that sleeps', median(wakes), 400, ms),
      goal('a new site', median(creates), 2_000, ms),
      goal('processes of sites that sleep', asleep, 0, String),
    ],
  };
}

async function cpuMs(cpu: () => number, ask: () => Promise<void>): Promise<number> {
  const before = cpu();
  for (let page = 0; page < PAGES; page++) await ask();
  return ((cpu() - before) * 1000) / PAGES;
}

async function wait(visitors: number, ask: () => Promise<void>): Promise<number[]> {
  const each = Math.max(4, Math.ceil(PAGES / visitors));
  const taken = await Promise.all(
    Array.from({ length: visitors }, async () => {
      const waits: number[] = [];
      for (let page = 0; page < each; page++) waits.push(await timed(ask));
      return waits;
    }),
  );
  return taken.flat();
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

function phpOf(pid: number): number[] {
  return descendants(pid).filter((each) => /php-fpm|relay\.pl|launch\.pl/.test(commandOf(each)));
}

function pssOf(pid: number): number {
  return phpOf(pid).reduce((sum, each) => sum + pssBytesOf(each), 0);
}
