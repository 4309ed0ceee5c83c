import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import type { DB } from '#core/db/schema.generated.ts';
import { takeDueSites } from '#features/backup/backup.ts';
import { storageIn } from '#runtimes/folders/site-folder.ts';
import { createClient } from '#sdk';
import { prepareWordPress } from '#testkit/drivers/wordpress-cache.ts';
import { Archiver } from '#timemachine/archive/archiver.ts';
import { TimeMachine } from '#timemachine/process/time-machine.ts';
import { Repository } from '#timemachine/repository.ts';
import { SqliteSource } from '#timemachine/sources/sqlite.ts';
import { DiskStore } from '#timemachine/stores/disk.ts';
import { FILES_OF_A_SITE, type TinySite, TinySites } from './backups-sites.ts';
import { median } from './load.ts';
import { commandOf, cpuSecondsOf, cpuSecondsOfTree, descendants, pssBytesOf } from './proc.ts';
import type { Report } from './report.ts';
import { type Bench, startBench } from './servers.ts';
import { makePeers, sizeOf } from './timemachine-peers.ts';

/**
 * The backups of a minute: the real platform with its clock, its processes and its Postgres, on sites that are tiny. The
 * changes of a whole minute come at once here, so that what is measured is how much of its minute the machine needs. SITES
 * makes it smaller.
 */
const SITES = Number(process.env.SITES ?? 10_000);
const SIZES = [...new Set([200, 1_000, SITES])].filter((size) => size <= SITES);
const CHANGES = [50, 200, 800];
const CHANGED = 200;
const ROUNDS = 3;
const KEPT = [1, 100, 500];
const KEPT_SITES = 5;
const IDLE_MS = 20_000;
const MINUTE_MS = 60_000;

export async function run(): Promise<Report> {
  await prepareWordPress();
  const bench = await startBench();
  const pool = new pg.Pool({ connectionString: bench.databaseUrl, max: 2 });
  try {
    return await new Simulation(bench, pool).run();
  } finally {
    await pool.end();
    await bench.stopAll();
  }
}

/** It takes a quarter of an hour, and whoever waits wants to know that it goes on. */
const say = (step: string) => console.error(`${new Date().toISOString()} ${step}`);

interface Cost {
  wallSeconds: number;
  platform: number;
  timeMachine: number;
  postgres: number;
}

const cpuOf = ({ platform, timeMachine, postgres }: Cost) => platform + timeMachine + postgres;

class Simulation {
  readonly #bench: Bench;
  readonly #pool: pg.Pool;
  readonly #dataDir: string;
  readonly #sites: TinySites;
  #pid = 0;
  #turn = 0;

  constructor(bench: Bench, pool: pg.Pool) {
    this.#bench = bench;
    this.#pool = pool;
    this.#dataDir = join(bench.dir, 'data');
    mkdirSync(join(this.#dataDir, 'sites'), { recursive: true });
    this.#sites = new TinySites(bench.dir, join(this.#dataDir, 'sites'));
  }

  async run(): Promise<Report> {
    await this.#makeTemplate(await this.#start());
    const bySites: { size: number; first: Cost & { count: number }; cost: Cost }[] = [];
    for (const size of SIZES) {
      say(`${size} sites`);
      const first = await this.#grow(size - this.#sites.all.length);
      bySites.push({ size, first, cost: await this.#minutes(CHANGED) });
    }
    const byChanges: { changes: number; cost: Cost }[] = [];
    say('changes');
    for (const changes of CHANGES) byChanges.push({ changes, cost: await this.#minutes(changes) });
    const sameAgain = await this.#again(CHANGED);
    const idle = await this.#cost(() => sleep(IDLE_MS));
    const due = await this.#dueQuery();
    const memory = this.#memory();
    const byKept: Kept[] = [];
    for (const kept of KEPT) {
      say(`${kept} kept snapshots`);
      byKept.push(await this.#kept(kept));
    }
    say('prune');
    const prune = await this.#prune();
    const peers = this.#peers();
    return report({ bySites, byChanges, sameAgain, idle, due, memory, byKept, prune, peers });
  }

  async #start(): Promise<string> {
    const env = { ADMIN_EMAIL: 'operator@example.com', ADMIN_PASSWORD: 'operator-password', DATA_DIR: this.#dataDir };
    const { pid, url } = await this.#bench.startService(env);
    this.#pid = pid;
    return url;
  }

  async #restart(): Promise<void> {
    process.kill(this.#pid, 'SIGTERM');
    while (commandOf(this.#pid) !== '') await sleep(50);
    await this.#start();
  }

  /** One site made as people make them; the rows of all others are copies of its row. */
  async #makeTemplate(url: string): Promise<void> {
    const grant = await createClient({ baseUrl: url }).signIn({
      body: { username: 'operator@example.com', password: 'operator-password' },
    });
    const api = createClient({ baseUrl: url, token: grant.access_token });
    const team = (await api.listTeams()).results[0];
    await this.#pool.query("update teams set plan_type_name = 'business', additional_sites = 100000");
    await api.createSite({
      wait: 60,
      body: {
        fqdn: 'template.localhost',
        team_id: team?.id as string,
        cms_blog_name: 'A site',
        cms_email: 'ada@example.com',
        cms_first_name: 'Ada',
        cms_last_name: 'Lovelace',
        cms_username: 'ada',
        cms_password: 'correct horse battery',
      },
    });
    await this.#settled();
  }

  /** More sites, and the first backup of each. */
  async #grow(count: number): Promise<Cost & { count: number }> {
    const added = this.#sites.add(count);
    await this.#insert(added);
    // The edge and whoever else hears of new sites is done with them.
    await this.#restart();
    return { ...(await this.#backUp(added)), count };
  }

  async #insert(sites: TinySite[]): Promise<void> {
    const ids = sites.map(({ id }) => id);
    await this.#pool.query(
      `insert into sites select (jsonb_populate_record(s, jsonb_build_object('id', made.id, 'fqdn', made.id || '.localhost',
         'is_sleeping', true, 'storage_is_stale', false, 'next_cron_at', null))).*
       from sites s, unnest($1::uuid[]) as made (id) where s.fqdn = 'template.localhost'`,
      [ids],
    );
    await this.#pool.query(
      'insert into site_names (fqdn, site_id) select fqdn, id from sites where id = any($1) on conflict do nothing',
      [ids],
    );
    await this.#pool.query(
      'insert into backup_clocks (site_id, space, due_at) select id, space, null from unnest($1::uuid[], $2::uuid[]) as s (id, space)',
      [ids, sites.map(({ space }) => space)],
    );
    await this.#pool.query('analyze sites, backup_clocks');
  }

  /** Several minutes in each of which other sites change; the median. */
  async #minutes(changes: number): Promise<Cost> {
    const costs: Cost[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const { all } = this.#sites;
      const changed = Array.from({ length: changes }, () => {
        this.#turn += 7;
        return all[this.#turn % all.length] as TinySite;
      });
      costs.push(await this.#minute([...new Set(changed)]));
    }
    return middle(costs);
  }

  /** The same few sites minute after minute: those that the time machine remembers. */
  async #again(changes: number): Promise<Cost> {
    const changed = this.#sites.all.slice(0, changes);
    const costs: Cost[] = [];
    for (let round = 0; round <= ROUNDS; round++) costs.push(await this.#minute(changed));
    return middle(costs.slice(1));
  }

  async #minute(changed: TinySite[]): Promise<Cost> {
    for (const site of changed) this.#sites.edit(site);
    return this.#backUp(changed);
  }

  async #backUp(sites: TinySite[]): Promise<Cost> {
    return this.#cost(async () => {
      await this.#pool.query('update backup_clocks set touched_at = now(), due_at = now() where site_id = any($1)', [
        sites.map(({ id }) => id),
      ]);
      await this.#settled();
    });
  }

  async #settled(): Promise<void> {
    for (;;) {
      const { rows } = await this.#pool.query('select failure from backup_clocks where due_at is not null limit 1');
      if (rows.length === 0) return;
      if (rows[0].failure !== null) throw new Error(`a backup failed: ${rows[0].failure}`);
      await sleep(100);
    }
  }

  async #cost(work: () => Promise<unknown>): Promise<Cost> {
    const before = this.#used();
    const startedAt = performance.now();
    await work();
    const wallSeconds = (performance.now() - startedAt) / 1000;
    const after = this.#used();
    return {
      wallSeconds,
      platform: after.platform - before.platform,
      timeMachine: after.timeMachine - before.timeMachine,
      postgres: after.postgres - before.postgres,
    };
  }

  #used() {
    const platform = cpuSecondsOf(this.#pid);
    return {
      platform,
      timeMachine: cpuSecondsOfTree(this.#pid) - platform,
      postgres: cpuSecondsOfTree(this.#bench.postgresPid),
    };
  }

  #memory(): { platform: number; timeMachine: number } {
    const processes = descendants(this.#pid).filter((pid) => commandOf(pid).includes('timemachine/process'));
    return {
      platform: pssBytesOf(this.#pid),
      timeMachine: processes.reduce((sum, pid) => sum + pssBytesOf(pid), 0),
    };
  }

  /** The clock's own question, asked when nothing is due and when much is: how long it takes, and how it is answered. */
  async #dueQuery(): Promise<{ nothingMs: number; muchMs: number; scans: string[] }> {
    const asked: { sql: string; parameters: readonly unknown[] }[] = [];
    const db = new Kysely<DB>({
      dialect: new PostgresDialect({ pool: this.#pool }),
      log: ({ query }) => void asked.push(query),
    });
    await takeDueSites(db, 4);
    const { sql, parameters } = asked[0] as (typeof asked)[number];
    const time = async () => {
      const times: number[] = [];
      for (let round = 0; round < 200; round++) {
        const startedAt = performance.now();
        await this.#pool.query(sql, [...parameters]);
        times.push(performance.now() - startedAt);
      }
      return median(times);
    };
    const nothingMs = await time();
    // Due for sites that another process works on at the moment, so that the clock of this one leaves them alone.
    const client = await this.#pool.connect();
    try {
      await client.query('begin');
      await client.query(
        'update backup_clocks set due_at = now() where site_id in (select site_id from backup_clocks limit 2000)',
      );
      const { rows } = await client.query(`explain (analyze, format json) ${sql}`, [...parameters]);
      const plan = rows[0]['QUERY PLAN'][0];
      return { nothingMs, muchMs: plan['Execution Time'], scans: scansOf(plan.Plan) };
    } finally {
      await client.query('rollback');
      client.release();
    }
  }

  /** Sites with this many snapshots: what a backup costs those who remember them, and those who have just started. */
  async #kept(kept: number): Promise<Kept> {
    const [first] = this.#sites.add(1);
    const sites = [first as TinySite, ...this.#sites.add(KEPT_SITES - 1, first?.space)];
    await this.#insert(sites);
    for (const site of sites) await this.#takeSnapshots(site, kept);
    await this.#restart();
    await this.#backUp([this.#sites.all[0] as TinySite]);
    const cold = await this.#minute(sites);
    const warm: Cost[] = [];
    for (let round = 0; round < 3 * ROUNDS; round++) warm.push(await this.#minute(sites));
    return { kept, cold, warm: middle(warm) };
  }

  /** A minute apart from each other, up to now. The engine by itself, since thousands of them are needed. */
  async #takeSnapshots(site: TinySite, count: number): Promise<void> {
    const { content, database } = storageIn(site.folder);
    const repository = new Repository(new DiskStore(join(this.#dataDir, 'backups'))).site(site.space, site.id);
    const source = new SqliteSource(database.file);
    const begunMs = Date.now() - (count + 1) * MINUTE_MS;
    let taken = 0;
    const archiver = new Archiver({
      repository,
      folder: content,
      tables: source,
      isPublic: (path) => /^(?:plugins|themes)\//.test(path),
      now: () => begunMs + taken * MINUTE_MS,
    });
    for (; taken < count; taken++) {
      this.#sites.edit(site);
      await archiver.snapshot();
    }
    await archiver.remember();
    await source.close();
  }

  /** Of all that is there, with nothing that retention lets go yet: what it costs to find that out, and to join packs. */
  async #prune(): Promise<{ cpuSeconds: number; wallSeconds: number; packs: number; bytes: number }> {
    const folder = join(this.#dataDir, 'backups');
    const { files, bytes } = sizeOf(folder);
    const timeMachine = new TimeMachine({ store: { kind: 'disk', folder }, processes: 1 });
    const windowsMs = Object.fromEntries(this.#sites.all.map(({ id }) => [id, 24 * 60 * MINUTE_MS]));
    const before = cpuSecondsOfTree(process.pid);
    const startedAt = performance.now();
    // By then the packs are old enough to be joined.
    await timeMachine.prune({ windowsMs, pinned: [], damaged: [], nowMs: Date.now() + 2 * 60 * MINUTE_MS });
    await timeMachine.close();
    const wallSeconds = (performance.now() - startedAt) / 1000;
    return { cpuSeconds: cpuSecondsOfTree(process.pid) - before, wallSeconds, packs: files, bytes };
  }

  /** The same change of one tiny site, with its database as a file, by others. */
  #peers(): { name: string; cpuSeconds: number }[] {
    const site = this.#sites.all[0] as TinySite;
    return makePeers(this.#bench.dir, site.folder).map((peer) => {
      peer.backup();
      const costs = Array.from({ length: ROUNDS }, () => {
        this.#sites.edit(site);
        return peer.backup().cpuSeconds;
      });
      return { name: peer.name, cpuSeconds: median(costs) };
    });
  }
}

interface Kept {
  kept: number;
  cold: Cost;
  warm: Cost;
}

interface PlanNode {
  'Node Type': string;
  'Relation Name'?: string;
  'Index Name'?: string;
  Plans?: PlanNode[];
}

/** How each table is read, such as `sites by sites_pkey`, or `sites whole`. */
function scansOf(node: PlanNode): string[] {
  const below = (node.Plans ?? []).flatMap(scansOf);
  const index = node['Index Name'];
  const table = node['Relation Name'];
  const kind = node['Node Type'];
  // The other half of a bitmap scan is the index below it; what is no scan reads no table.
  if (!kind.endsWith('Scan') || kind === 'Bitmap Heap Scan') return below;
  if (table === undefined && index === undefined) return below;
  return [`${table ?? ''} ${index ? `by ${index}` : 'whole'}`.trim(), ...below];
}

/** The round with the median of all CPU time. */
function middle(costs: Cost[]): Cost {
  return costs.toSorted((a, b) => cpuOf(a) - cpuOf(b))[Math.floor(costs.length / 2)] as Cost;
}

interface Findings {
  bySites: { size: number; first: Cost & { count: number }; cost: Cost }[];
  byChanges: { changes: number; cost: Cost }[];
  sameAgain: Cost;
  idle: Cost;
  due: { nothingMs: number; muchMs: number; scans: string[] };
  memory: { platform: number; timeMachine: number };
  byKept: Kept[];
  prune: { cpuSeconds: number; wallSeconds: number; packs: number; bytes: number };
  peers: { name: string; cpuSeconds: number }[];
}

function report(found: Findings): Report {
  const { bySites, byChanges, sameAgain, idle, due, memory, byKept, prune, peers } = found;
  const s = (value: number) => `${value.toFixed(value < 10 ? 2 : 1)} s`;
  const ms = (value: number) => `${value.toFixed(value < 10 ? 1 : 0)} ms`;
  const mb = (bytes: number) => `${Math.round(bytes / 1e6)} MB`;
  const costRow = (name: string, cost: Cost, count: number) => [
    name,
    s(cost.wallSeconds),
    s(cost.platform),
    s(cost.timeMachine),
    s(cost.postgres),
    ms((cpuOf(cost) / count) * 1000),
  ];
  const head = ['', 'wall', 'CPU platform', 'CPU time machine', 'CPU Postgres', 'CPU for each backup'];
  const smallest = bySites[0] as Findings['bySites'][number];
  const largest = bySites.at(-1) as Findings['bySites'][number];
  const few = byKept[0] as Kept;
  const many = byKept.at(-1) as Kept;
  const each = cpuOf(largest.cost) / CHANGED;
  const restic = peers.find(({ name }) => name === 'restic')?.cpuSeconds as number;
  const perMinute = cpuOf(idle) * (MINUTE_MS / IDLE_MS);
  const sitesRatio = cpuOf(largest.cost) / cpuOf(smallest.cost);
  const keptRatio = cpuOf(many.warm) / cpuOf(few.warm);
  return {
    name: 'bench/backups',
    intro: `Tiny sites of ${FILES_OF_A_SITE} files and 200 rows, ten to a team; all changes of a minute come at once. Median of ${ROUNDS} minutes.`,
    tables: [
      {
        head: ['a minute', ...head.slice(1)],
        rows: [
          ...bySites.map(({ size, cost }) => costRow(`${CHANGED} of ${size} sites change`, cost, CHANGED)),
          ...byChanges.map(({ changes, cost }) => costRow(`${changes} of ${SITES} sites change`, cost, changes)),
          costRow(`the same ${CHANGED} of ${SITES} again`, sameAgain, CHANGED),
          ...bySites.map(({ first }) => costRow(`first backup of ${first.count} sites`, first, first.count)),
        ],
      },
      {
        head: [`${KEPT_SITES} sites of one team with`, 'CPU for each backup', 'right after a start'],
        rows: byKept.map(({ kept, warm, cold }) => [
          `${kept} kept snapshots`,
          ms((cpuOf(warm) / KEPT_SITES) * 1000),
          ms((cpuOf(cold) / KEPT_SITES) * 1000),
        ]),
      },
      {
        head: ['', 'figure'],
        rows: [
          ['a minute in which nothing changes, CPU', s(perMinute)],
          ['what is due, nothing', ms(due.nothingMs)],
          ['what is due, 2000 sites', ms(due.muchMs)],
          ['- is read as', due.scans.join(', ')],
          [`prune of ${prune.packs} files, ${mb(prune.bytes)}, CPU`, s(prune.cpuSeconds)],
          ['prune, wall', s(prune.wallSeconds)],
          ['memory of the time machine (PSS)', mb(memory.timeMachine)],
          ['memory of the platform (PSS)', mb(memory.platform)],
          ...peers.map(({ name, cpuSeconds }) => [
            `the same backup of one site by ${name}, CPU`,
            ms(cpuSeconds * 1000),
          ]),
        ],
      },
    ],
    goals: [
      {
        text: `${CHANGED} of ${SITES} within their minute (${s(largest.cost.wallSeconds)})`,
        met: largest.cost.wallSeconds < MINUTE_MS / 1000,
      },
      {
        text: `${SITES} sites cost at most 1.5 x what ${smallest.size} do (${sitesRatio.toFixed(2)} x)`,
        met: sitesRatio <= 1.5,
      },
      {
        text: `${many.kept} kept snapshots cost at most 2 x what one does (${keptRatio.toFixed(2)} x)`,
        met: keptRatio <= 2,
      },
      { text: 'what is due is found by indexes alone', met: due.scans.every((scan) => !scan.endsWith('whole')) },
      { text: `a backup at most 1/10 of restic (1/${(restic / each).toFixed(0)})`, met: each <= restic / 10 },
    ],
  };
}
