import { readdirSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CMS } from '#testkit/app/sites.ts';
import { visit } from '#testkit/clients/visit.ts';
import { openSession } from '#testkit/clients/wordpress-session.ts';
import { percentile } from './load.ts';
import { cpuSecondsOf, rssBytesOf } from './proc.ts';
import type { Goal, Table } from './report.ts';

/**
 * What a site bears: thousands of requests to one process, many visitors of pages that no cache has, a request that takes
 * long beside others, and what its editor weighs on the wire. Each is compared with a figure of the same run.
 */
export interface LoadedService {
  url: string;
  dataDir: string;
}

const REQUESTS = Number(process.env.REQUESTS ?? 3_000);
const EDGE_REQUESTS = 100;
const VISITORS = [1, 4, 16] as const;
const RAMP_MS = 10_000;
const MEASURE_MS = 15_000;
const SLEEP_SECONDS = 6;

const ms = (value: number) => `${value.toFixed(value < 10 ? 1 : 0)} ms`;
const mb = (bytes: number) => `${(bytes / 1e6).toFixed(0)} MB`;
const kb = (bytes: number) => `${(bytes / 1e3).toFixed(0)} KB`;
const times = (ratio: number) => `${ratio.toFixed(2)} x`;

/** `pid` is the process that answers; the site may have no other for its visitors. */
export async function measureLongRun(service: LoadedService, site: { id: string; fqdn: string }, pid: () => number) {
  const call = await putProbe(
    service,
    site.id,
    'call.php',
    `require '/site/wordpress/wp-load.php'; $since = microtime(true);
    $answer = wp_remote_get(includes_url('css/dashicons.min.css'), ['timeout' => 20]);
    echo is_wp_error($answer) ? 'failed' : (microtime(true) - $since) * 1000;`,
  );
  const callMs = async () => Number((await visit(service, site.fqdn, call)).text);
  const look = () => ({
    memory: rssBytesOf(pid()),
    descriptors: readdirSync(`/proc/${pid()}/fd`).length,
    cpu: cpuSecondsOf(pid()),
  });
  await run(service, site.fqdn, EDGE_REQUESTS / 5);
  const firstCallMs = await callMs();
  const start = look();
  const first = await run(service, site.fqdn, EDGE_REQUESTS);
  const afterFirst = look();
  const process = pid();
  await run(service, site.fqdn, REQUESTS - 2 * EDGE_REQUESTS);
  const beforeLast = look();
  const last = await run(service, site.fqdn, EDGE_REQUESTS);
  const end = look();
  const lastCallMs = await callMs();
  if (pid() !== process) throw new Error('the process was replaced, so that there is nothing to compare');
  const ratio = percentile(last, 99) / percentile(first, 99);
  const cpuRatio = (end.cpu - beforeLast.cpu) / (afterFirst.cpu - start.cpu);
  const table: Table = {
    head: [`${REQUESTS.toLocaleString('en')} requests to one process`, 'first 100', 'last 100', 'ratio'],
    rows: [
      ['p50 of a page', ms(percentile(first, 50)), ms(percentile(last, 50)), ''],
      ['p99 of a page', ms(percentile(first, 99)), ms(percentile(last, 99)), times(ratio)],
      [
        'CPU of its process, a page',
        perPage(afterFirst.cpu - start.cpu),
        perPage(end.cpu - beforeLast.cpu),
        times(cpuRatio),
      ],
      ['memory of its process', mb(afterFirst.memory), mb(end.memory), times(end.memory / afterFirst.memory)],
      ['open descriptors', String(afterFirst.descriptors), String(end.descriptors), ''],
      ['a call of WordPress to the outside', ms(firstCallMs), ms(lastCallMs), ''],
    ],
  };
  const goals: Goal[] = [
    { text: `p99 of the last 100 requests within 1.2 x of the first 100 (${times(ratio)})`, met: ratio <= 1.2 },
    {
      text: `no descriptor more after ${REQUESTS} requests (${end.descriptors - afterFirst.descriptors})`,
      met: end.descriptors - afterFirst.descriptors <= 5,
    },
  ];
  return { table, goals };
}

const perPage = (seconds: number) => ms((seconds * 1000) / EDGE_REQUESTS);

async function run(service: LoadedService, host: string, count: number): Promise<number[]> {
  const taken: number[] = [];
  for (let request = 0; request < count; request++) {
    const startedAt = performance.now();
    const answer = await visit(service, host, `/wp-login.php?fresh=${Math.random()}`);
    if (answer.status !== 200) throw new Error(`${host} answered ${answer.status} to request ${request}`);
    taken.push(performance.now() - startedAt);
  }
  return taken;
}

/** Pages that no cache has, by visitors who each wait for one before they ask for the next. */
export async function measureVisitors(service: LoadedService, hosts: readonly string[]) {
  const rows: string[][] = [];
  for (const sites of [hosts.slice(0, 1), hosts]) {
    let alone = Number.NaN;
    for (const visitors of VISITORS) {
      const { perSecond, waits } = await visitAll(service, sites, visitors);
      if (visitors === 1) alone = perSecond;
      rows.push([
        sites.length === 1 ? 'one site' : `${sites.length} sites`,
        String(visitors),
        perSecond.toFixed(1),
        times(perSecond / alone),
        ms(percentile(waits, 50)),
        ms(percentile(waits, 99)),
      ]);
    }
  }
  const table: Table = { head: ['', 'visitors', 'pages a second', 'to one visitor', 'p50', 'p99'], rows };
  return { table };
}

async function visitAll(service: LoadedService, hosts: readonly string[], visitors: number) {
  const waits: number[] = [];
  const measureFrom = performance.now() + RAMP_MS;
  const end = measureFrom + MEASURE_MS;
  const one = async (number: number) => {
    while (performance.now() < end) {
      const startedAt = performance.now();
      const answer = await visit(service, hosts[number % hosts.length] as string, `/?fresh=${Math.random()}`);
      if (answer.status !== 200) throw new Error(`a visitor was answered ${answer.status}`);
      const now = performance.now();
      if (now >= measureFrom && now < end) waits.push(now - startedAt);
    }
  };
  await Promise.all(Array.from({ length: visitors }, (_, number) => one(number)));
  return { perSecond: waits.length / (MEASURE_MS / 1000), waits };
}

/** What a visitor waits while somebody else's request sleeps. */
export async function measureBesideSleep(service: LoadedService, site: { id: string; fqdn: string }) {
  const sleeping = await putProbe(service, site.id, 'sleep.php', `sleep(${SLEEP_SECONDS}); echo 'slept';`);
  const long = visit(service, site.fqdn, sleeping);
  await new Promise((resolve) => setTimeout(resolve, 300));
  const [first = 0] = await run(service, site.fqdn, 1);
  const [second = 0] = await run(service, site.fqdn, 1);
  if ((await long).text !== 'slept') throw new Error('the long request was not answered');
  const table: Table = {
    head: [`a page while another request sleeps ${SLEEP_SECONDS} s`, 'wait'],
    rows: [
      ['the first, which another process is started for', ms(first)],
      ['the next', ms(second)],
    ],
  };
  return {
    table,
    goals: [{ text: `it waits less than half of that (${ms(first)})`, met: first < SLEEP_SECONDS * 500 }],
  };
}

/** The page of the editor as it leaves, for a browser that takes compressed answers and for one that does not. */
export async function measureEditor(service: LoadedService, host: string) {
  const session = openSession(service, host);
  await session.ask('/wp-login.php');
  await session.send('/wp-login.php', { log: CMS.cms_username, pwd: CMS.cms_password });
  const sizes: number[] = [];
  for (const coding of ['identity', 'zstd, br, gzip']) {
    const page = await session.ask('/wp-admin/post-new.php', { headers: { 'accept-encoding': coding } });
    if (page.status !== 200) throw new Error(`the editor answered ${page.status}`);
    sizes.push(page.body.length);
  }
  const [plain = 0, compressed = 0] = sizes;
  const table: Table = {
    head: ['the editor on the wire', 'plain', 'compressed', 'ratio'],
    rows: [['/wp-admin/post-new.php', kb(plain), kb(compressed), times(compressed / plain)]],
  };
  const goals = [
    { text: `compressed to a third or less (${times(compressed / plain)})`, met: compressed / plain <= 1 / 3 },
  ];
  return { table, goals };
}

async function putProbe({ dataDir }: LoadedService, siteId: string, name: string, code: string): Promise<string> {
  const folder = join(dataDir, 'sites', siteId, 'content', 'plugins', 'probe');
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, name), `<?php\n${code}`);
  return `/wp-content/plugins/probe/${name}`;
}
