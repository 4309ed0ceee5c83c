import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { type Client, createClient } from '#sdk';
import { CMS } from '#testkit/app/sites.ts';
import { prepareWordPress } from '#testkit/drivers/wordpress-cache.ts';
import { median } from './load.ts';
import type { Report } from './report.ts';
import { type Bench, startBench } from './servers.ts';

/**
 * What a site from a template takes longer than an empty one, one of each in turn, until its owner is told that it is there. Without a warm
 * PHP, whose first page would be most of it and is the same for both.
 */
const ROUNDS = Number(process.env.ROUNDS ?? 9);
const TEMPLATE = 'blog';
const READY_MS = 10 * 60_000;
const GOAL = 1.25;
const ADMIN = { ADMIN_EMAIL: 'operator@example.com', ADMIN_PASSWORD: 'operator-password' };

export async function run(): Promise<Report> {
  await prepareWordPress();
  const bench = await startBench();
  try {
    const { empty, made } = await measure(bench);
    const ratio = median(made) / median(empty);
    const ms = (values: number[]) => `${Math.round(median(values))} ms`;
    return {
      name: 'bench/templates',
      intro: `Real WordPress on the embedded driver, median of ${ROUNDS} rounds, each with one of both.`,
      tables: [
        {
          head: ['a new site is ready after', 'median', 'of an empty one'],
          rows: [
            ['an empty one', ms(empty), '1'],
            [`from the template ${TEMPLATE}`, ms(made), ratio.toFixed(2)],
          ],
        },
      ],
      goals: [{ text: `from a template within ${GOAL} of an empty one: ${ratio.toFixed(2)}`, met: ratio <= GOAL }],
    };
  } finally {
    await bench.stopAll();
  }
}

async function measure(bench: Bench): Promise<{ empty: number[]; made: number[] }> {
  const { url } = await bench.startService({ ...ADMIN, STANDBY_WORKERS: '0', SHIPPED_TEMPLATES: 'on' });
  const grant = await createClient({ baseUrl: url }).signIn({
    body: { username: ADMIN.ADMIN_EMAIL, password: ADMIN.ADMIN_PASSWORD },
  });
  const api = createClient({ baseUrl: url, token: grant.access_token });
  const database = new pg.Client({ connectionString: bench.databaseUrl });
  await database.connect();
  await database.query("update teams set plan_type_name = 'business', additional_sites = 5000");
  await database.end();
  await templatesAreReady(api);
  const teamId = (await api.listTeams()).results[0]?.id as string;
  const [empty, made]: [number[], number[]] = [[], []];
  for (let round = -1; round < ROUNDS; round++) {
    for (const [times, template] of [
      [empty, undefined],
      [made, TEMPLATE],
    ] as const) {
      const ms = await create(api, teamId, template);
      if (round >= 0) times.push(ms);
    }
  }
  return { empty, made };
}

/** All of them: what makes one takes the machine from the others. */
async function templatesAreReady(api: Client): Promise<void> {
  const endsAt = performance.now() + READY_MS;
  for (;;) {
    const { results } = await api.listTemplates();
    if (results.length > 0 && results.every(({ ready }) => ready)) return;
    if (performance.now() > endsAt) throw new Error('the templates of the platform are not made');
    await sleep(1_000);
  }
}

async function create(api: Client, team_id: string, template: string | undefined): Promise<number> {
  const fqdn = `s${Math.random().toString(36).slice(2, 10)}.localhost`;
  await sleep(1_000);
  const startedAt = performance.now();
  const body = { ...CMS, fqdn, team_id, ...(template && { template_name: template }) };
  const site = await api.createSite({ wait: 60, body });
  if (site.busy !== null) throw new Error(`${fqdn} is still ${site.busy}`);
  const ms = performance.now() - startedAt;
  await api.deleteSite({ params: { fqdn }, wait: 60 });
  return ms;
}
