import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { type Client, createClient } from '#sdk';
import { CMS } from '#testkit/app/sites.ts';
import { visit } from '#testkit/clients/visit.ts';
import { prepareWordPress } from '#testkit/drivers/wordpress-cache.ts';
import { percentile } from './load.ts';
import type { Report } from './report.ts';
import { type Bench, startBench } from './servers.ts';

/**
 * What the visitors of a site notice of a neighbour who does the worst that a shell lets them do. Each attack is measured between two
 * quiet times of the same run, since nothing else tells what the machine itself was up to.
 */
const ATTACKS = {
  bomb: 'five fork bombs',
  busy: 'forty busy loops',
  memory: 'five that take all memory they get',
  output: 'five commands that write without end',
  terminals: 'five terminals that show without end',
  disk: 'five that fill the disk',
  ask: 'five that ask for room of the disk',
  find: 'five that read every file they see',
} as const;
type Attack = keyof typeof ATTACKS;

const PAGES = Number(process.env.PAGES ?? 150);
const CACHED_BETWEEN = 4;
/** Until all of it runs. */
const RAMP_MS = 2_000;
const GOAL = 2;
const ADMIN = { ADMIN_EMAIL: 'operator@example.com', ADMIN_PASSWORD: 'operator-password' };
const NEIGHBOUR = 'neighbour.localhost';
const ATTACKER = 'attacker.localhost';

interface Seen {
  fresh: number[];
  cached: number[];
}

export async function run(): Promise<Report> {
  await prepareWordPress();
  const wanted = process.env.ATTACK?.split(',') ?? Object.keys(ATTACKS);
  const bench = await startBench();
  try {
    const service = await startService(bench);
    const found: { attack: Attack; quiet: Seen; attacked: Seen }[] = [];
    let before = await look(service.url);
    for (const attack of wanted as Attack[]) {
      const attacker = await bench.startProgram('neighbours-attacker.ts', [
        service.url,
        service.token,
        ATTACKER,
        attack,
      ]);
      await sleep(RAMP_MS);
      const attacked = await look(service.url);
      process.kill(attacker.pid, 'SIGKILL');
      await isQuiet(service.api);
      const after = await look(service.url);
      found.push({ attack, quiet: both(before, after), attacked });
      before = after;
    }
    return report(found);
  } finally {
    await bench.stopAll();
  }
}

interface Service {
  url: string;
  token: string;
  api: Client;
}

async function startService(bench: Bench): Promise<Service> {
  const { url } = await bench.startService({ ...ADMIN, RUNTIME: 'php-wasm', STANDBY_WORKERS: '1' });
  const body = { username: ADMIN.ADMIN_EMAIL, password: ADMIN.ADMIN_PASSWORD };
  const { access_token: token } = await createClient({ baseUrl: url }).signIn({ body });
  const api = createClient({ baseUrl: url, token });
  const client = new pg.Client({ connectionString: bench.databaseUrl });
  await client.connect();
  await client.query("update teams set plan_type_name = 'business'");
  await client.end();
  const team_id = (await api.listTeams()).results[0]?.id as string;
  for (const fqdn of [NEIGHBOUR, ATTACKER]) await api.createSite({ wait: 60, body: { ...CMS, fqdn, team_id } });
  // Its process is warm, and the page is in the cache.
  for (let count = 0; count < 20; count++) await ask(url, count % 2 === 0 ? '/' : `/wp-login.php?fresh=${count}`);
  return { url, token, api };
}

/** Resolves when nothing of the attack runs any more, and what it wrote is gone. */
async function isQuiet(api: Client): Promise<void> {
  const cmd = 'rm -f big-*';
  for (;;) {
    const { exit_code } = await api
      .runSiteCommand({ params: { fqdn: ATTACKER }, body: { cmd } })
      .catch(() => ({ exit_code: -1 }));
    if (exit_code === 0) break;
    await sleep(500);
  }
  await sleep(RAMP_MS);
}

async function look(url: string): Promise<Seen> {
  const seen: Seen = { fresh: [], cached: [] };
  for (let page = 0; page < PAGES; page++) {
    seen.fresh.push(await ask(url, `/wp-login.php?fresh=${page}`));
    for (let count = 0; count < CACHED_BETWEEN; count++) seen.cached.push(await ask(url, '/'));
  }
  return seen;
}

async function ask(url: string, path: string): Promise<number> {
  const startedAt = performance.now();
  const { status } = await visit({ url }, NEIGHBOUR, path);
  if (status !== 200) throw new Error(`the neighbour answers ${status}`);
  return performance.now() - startedAt;
}

function both(one: Seen, other: Seen): Seen {
  return { fresh: [...one.fresh, ...other.fresh], cached: [...one.cached, ...other.cached] };
}

function report(found: { attack: Attack; quiet: Seen; attacked: Seen }[]): Report {
  const kinds = [
    ['fresh', 'a page that no cache has'],
    ['cached', 'a page of the cache'],
  ] as const;
  const ms = (value: number) => `${value.toFixed(1)} ms`;
  const ratioOf = ({ quiet, attacked }: (typeof found)[number], kind: keyof Seen, percent: number) =>
    percentile(attacked[kind], percent) / percentile(quiet[kind], percent);
  return {
    name: 'bench/neighbours',
    intro: `What visitors of a site wait while the shell of another is attacked from within: ${PAGES} pages that no cache has and ${CACHED_BETWEEN * PAGES} of the cache, one after another, beside the quiet times before and after.`,
    tables: kinds.map(([kind, title]) => ({
      head: [title, 'p50', 'quiet', 'ratio', 'p99', 'quiet', 'ratio'],
      rows: found.map((each) => [
        ATTACKS[each.attack],
        ...[50, 99].flatMap((percent) => [
          ms(percentile(each.attacked[kind], percent)),
          ms(percentile(each.quiet[kind], percent)),
          ratioOf(each, kind, percent).toFixed(2),
        ]),
      ]),
    })),
    goals: found.flatMap((each) =>
      kinds.map(([kind, title]) => ({
        text: `${ATTACKS[each.attack]}: p99 of ${title} at most ${GOAL} x (${ratioOf(each, kind, 99).toFixed(2)})`,
        met: ratioOf(each, kind, 99) <= GOAL,
      })),
    ),
  };
}
