import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { type Backup, type Client, createClient } from '#sdk';
import { CMS } from '#testkit/app/sites.ts';
import { visit } from '#testkit/clients/visit.ts';
import { percentile } from './load.ts';
import type { Report } from './report.ts';
import { type Bench, startBench } from './servers.ts';

/** What the visitors of a site notice of somebody who reads the files of another's backups, one list after another. */
const FILES = Number(process.env.FILES ?? 30_000);
const PAGES = Number(process.env.PAGES ?? 2_000);
const RAMP_MS = 2_000;
/** As for every neighbour; a machine that is busy otherwise says nothing of milliseconds. */
const GOAL = 3;
const ADMIN = { ADMIN_EMAIL: 'operator@example.com', ADMIN_PASSWORD: 'operator-password' };
const NEIGHBOUR = 'neighbour.localhost';
const LARGE = 'large.localhost';

export async function run(): Promise<Report> {
  const bench = await startBench();
  try {
    const { url, token } = await startService(bench);
    const before = await look(url);
    const viewer = await bench.startProgram('reading-viewer.ts', [url, token, LARGE]);
    await sleep(RAMP_MS);
    const meanwhile = await look(url);
    process.kill(viewer.pid, 'SIGKILL');
    await sleep(RAMP_MS);
    return report([...before, ...(await look(url))], meanwhile);
  } finally {
    await bench.stopAll();
  }
}

async function startService(bench: Bench): Promise<{ url: string; token: string }> {
  const { url } = await bench.startService({ ...ADMIN, RUNTIME: 'memory' });
  const body = { username: ADMIN.ADMIN_EMAIL, password: ADMIN.ADMIN_PASSWORD };
  const { access_token: token } = await createClient({ baseUrl: url }).signIn({ body });
  const api = createClient({ baseUrl: url, token });
  const client = new pg.Client({ connectionString: bench.databaseUrl });
  await client.connect();
  await client.query("update teams set plan_type_name = 'business'");
  const team_id = (await api.listTeams()).results[0]?.id as string;
  for (const fqdn of [NEIGHBOUR, LARGE]) await api.createSite({ wait: 60, body: { ...CMS, fqdn, team_id } });
  const { id } = await api.getSite({ params: { fqdn: LARGE } });
  const uploads = join(bench.dir, 'data/sites', id, 'content/uploads');
  for (let file = 0; file < FILES; file++) {
    const folder = join(uploads, `${file % 100}`);
    if (file < 100) await mkdir(folder, { recursive: true });
    await writeFile(join(folder, `a-picture-of-something-${file}.txt`), `${file}`);
  }
  await client.query('update backup_clocks set touched_at = now(), due_at = now() where site_id = $1', [id]);
  await client.end();
  await backedUp(api);
  for (let count = 0; count < 20; count++) await ask(url);
  return { url, token };
}

async function backedUp(api: Client): Promise<void> {
  for (;;) {
    const query = { number_to_fetch: 10 };
    const backups = (await api.getBackups({ params: { fqdn: LARGE }, query })) as Backup[];
    // One that came meanwhile may have some of them.
    if (backups.reduce((sum, { files_added }) => sum + files_added, 0) >= FILES) return;
    await sleep(500);
  }
}

async function look(url: string): Promise<number[]> {
  const seen: number[] = [];
  for (let page = 0; page < PAGES; page++) seen.push(await ask(url));
  return seen;
}

async function ask(url: string): Promise<number> {
  const startedAt = performance.now();
  const { status } = await visit({ url }, NEIGHBOUR, '/');
  if (status !== 200) throw new Error(`the neighbour answers ${status}`);
  return performance.now() - startedAt;
}

function report(quiet: number[], meanwhile: number[]): Report {
  const ms = (value: number) => `${value.toFixed(1)} ms`;
  const ratio = percentile(meanwhile, 99) / percentile(quiet, 99);
  const rows = [50, 99, 100].map((percent) => {
    const [was, is] = [percentile(quiet, percent), percentile(meanwhile, percent)];
    return [percent === 100 ? 'longest' : `p${percent}`, ms(is), ms(was), (is / was).toFixed(1)];
  });
  return {
    name: 'bench/reading',
    intro: `What visitors of a site wait for a page of the cache while somebody reads the ${FILES} files of another site's backup without a pause: ${PAGES} pages one after another, beside the quiet times before and after.`,
    tables: [{ head: ['a page of the cache', 'while somebody reads', 'quiet', 'ratio'], rows }],
    goals: [
      {
        text: `p99 while somebody reads is ${ratio.toFixed(1)} times the quiet one, at most ${GOAL}`,
        met: ratio <= GOAL,
      },
    ],
  };
}
