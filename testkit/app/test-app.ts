import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { subscribe } from 'node:diagnostics_channel';
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { COST } from '#core/auth/password.ts';
import { openDatabase } from '#core/db/database.ts';
import { Listener } from '#core/db/listener.ts';
import { migrate } from '#core/db/migrate.ts';
import { UNDECLARED } from '#core/http/declared.ts';
import { Jobs } from '#core/jobs/jobs.ts';
import { createLog } from '#core/log.ts';
import type { Services } from '#core/services.ts';
import { type Feature, feature } from '#features/feature.ts';
import { DKIM_KEY } from '#features/site-mail/dkim.ts';
import type { LocalHost } from '#host/local-host.ts';
import type { Runtime } from '#runtimes/runtime.ts';
import { BCRYPT } from '#runtimes/wordpress/password.ts';
import type { TimeMachine } from '#timemachine/process/time-machine.ts';
import type { Env } from '../../src/config/read-variables.ts';
import { type Config, type DriverName, readConfig } from '../../src/config.ts';
import { createLocalHost, hostAccess } from '../../src/platform/hosts.ts';
import { type Platform, startPlatform } from '../../src/platform.ts';
import { noFpm } from '../drivers/fpm-runtime.ts';
import { memoryDriver } from '../drivers/memory/memory-driver.ts';
import { WORDPRESS_CACHE } from '../drivers/wordpress-cache.ts';
import { freePort } from '../free-port.ts';
import { need } from '../runner/need.ts';

/**
 * The real service on a database of its own, for one test file. All files share one Postgres (testkit/runner/resources.ts);
 * the migrations run once, into a template that each database is copied from. Whoever tests a first start wants an `empty` one.
 */
export interface TestApp {
  url: string;
  api: string;
  databaseUrl: string;
  mailDir: string;
  services: Platform['services'];
  /** The driver of new sites, and the time machine, of the host in this process; tests look behind the door. */
  readonly runtime: Runtime;
  readonly timeMachine: TimeMachine;
  /** Waits for a mail to this address and returns its text; the newest where there are several. */
  mailTo(address: string, containing?: string): Promise<string>;
  close(): Promise<void>;
}

/** What operations of this process answered with and do not declare (http/declared.ts). Nothing may be left when an app closes. */
const undeclared = new Set<string>();
subscribe(UNDECLARED, (what) => undeclared.add(String(what)));

/** For whoever tests that it is noticed. */
export function takeUndeclared(): string[] {
  const taken = [...undeclared];
  undeclared.clear();
  return taken;
}

export const OPERATOR = { email: 'operator@example.com', password: 'operator-password' };
const TEMPLATE = 'siteyard_template';
const TEMPLATE_LOCK = 4711;

type TestDriver = DriverName | keyof typeof memoryDriver;

interface TestAppOptions {
  env?: Record<string, string>;
  databaseUrl?: string;
  /**
   * PHP costs seconds of the machine for each site that wakes: it is for tests of what only WordPress can show. `php` is for those that do not
   * mind what runs it: PHP-FPM where the machine has that, which takes a tenth of the processor until the first page is out.
   */
  runtime?: TestDriver | 'php';
  /** For tests that mind how long a DKIM record is. */
  dkimBits?: number;
  /** In place of those that the configuration names. */
  clusters?: Services['clusters'];
}

export async function startTestApp(options: TestAppOptions & Omit<Feature, 'name'> = {}): Promise<TestApp> {
  const { env, databaseUrl: givenUrl, runtime: wanted = 'memory', dkimBits = 512, clusters, ...own } = options;
  const runtime = wanted === 'php' ? await cheapestPhp() : wanted;
  if (runtime !== 'memory') await need(runtime === 'fpm' ? 'fpm' : 'wordpress');
  makeCheap(runtime, dkimBits);
  const database = givenUrl ? undefined : await createTestDatabase();
  const databaseUrl = givenUrl ?? (database as { url: string }).url;
  const dataDir = await mkdtemp(join(tmpdir(), 'siteyard-test-'));
  const port = await freePort();
  const config = readTestConfig({
    PORT: String(port),
    DATA_DIR: dataDir,
    DATABASE_URL: databaseUrl,
    DATABASE_POOL_SIZE: '8',
    ADMIN_EMAIL: OPERATOR.email,
    ADMIN_PASSWORD: OPERATOR.password,
    SECRET_KEY: 'a key for tests that is long enough',
    RATE_LIMIT_FACTOR: '0',
    // A picture is taken where a test is about one.
    BROWSER: 'off',
    LOG_LEVEL: process.env.LOG_LEVEL ?? 'silent',
    RUNTIME: runtime,
    CACHE_DIR: WORDPRESS_CACHE,
    WORDPRESS_SOURCE: 'npm',
    SHIPPED_TEMPLATES: 'off',
    // A warm PHP costs seconds of the machine, and few tests wait for it.
    STANDBY_WORKERS: '0',
    EDGE_PROCESSES: '1',
    PHP_COMPILER: 'baseline',
    METRICS_URL: 'http://grafana.example',
    ...env,
  });
  const platform = await startPlatform(config, {
    features: [feature({ name: 'test', ...own })],
    clusters,
    drivers: memoryDriver,
  });
  const mailDir = join(dataDir, 'mail');
  return {
    url: platform.url,
    api: `${platform.url}/f/api/v1`,
    databaseUrl,
    mailDir,
    services: platform.services,
    get runtime() {
      return hostIn(platform.services).driver(config.newSites);
    },
    get timeMachine() {
      return hostIn(platform.services).timeMachine;
    },
    mailTo: (address, containing) => findMail(mailDir, address, containing),
    async close() {
      await platform.stop();
      await database?.drop();
      await rm(dataDir, { recursive: true, force: true });
      assert.deepEqual(takeUndeclared(), [], 'an operation answered with what it does not declare');
    },
  };
}

/** Reads a configuration in which sites can run in memory too. */
export function readTestConfig(env: Env): Config {
  return readConfig(env, { extraDrivers: Object.keys(memoryDriver) });
}

let cheapest: Promise<DriverName> | undefined;

function cheapestPhp(): Promise<DriverName> {
  cheapest ??= noFpm().then((reason) => (reason ? 'php-wasm' : 'fpm'));
  return cheapest;
}

/**
 * What is slow on purpose is most of what a person and a new site cost. Both password.test.ts and dkim.test.ts hold that nobody else does
 * this. A hash that is cheaper than its own WordPress would make again.
 */
function makeCheap(runtime: TestDriver, dkimBits: number): void {
  Object.assign(COST, { memoryCost: 8, timeCost: 1 });
  BCRYPT.cost = runtime === 'memory' ? 4 : 10;
  DKIM_KEY.modulusLength = dkimBits;
}

/** What is behind the door. A process that has no host itself shares the data folder of one, where tests can look all the same. */
export function hostIn({ localHost, config, log, outbound, secrets }: Services): LocalHost {
  if (localHost) return localHost;
  const asHost = { ...config, roles: new Set(['host'] as const) };
  const access = hostAccess(config, secrets);
  return createLocalHost({ config: asHost, log, outbound, access, drivers: memoryDriver }) as LocalHost;
}

export async function createTestDatabase({ empty = false } = {}): Promise<{ url: string; drop(): Promise<void> }> {
  if (!process.env.TEST_DATABASE_URL) await need('postgres');
  const adminUrl = process.env.TEST_DATABASE_URL;
  if (!adminUrl) throw new Error('TEST_DATABASE_URL is not set; run tests with npm test');
  const name = `test_${randomBytes(6).toString('hex')}`;
  await asAdmin(adminUrl, async (admin) => {
    if (empty) return void (await admin.query(`create database ${name}`));
    await admin.query('select pg_advisory_lock($1)', [TEMPLATE_LOCK]);
    const known = await admin.query('select from pg_database where datname = $1', [TEMPLATE]);
    if (known.rows.length === 0) await createTemplate(admin, adminUrl);
    await admin.query(`create database ${name} template ${TEMPLATE}`);
  });
  return {
    url: databaseAt(adminUrl, name),
    drop: () => asAdmin(adminUrl, async (admin) => void (await admin.query(`drop database ${name} with (force)`))),
  };
}

async function createTemplate(admin: pg.Client, adminUrl: string): Promise<void> {
  await admin.query(`create database ${TEMPLATE}_draft`);
  const url = databaseAt(adminUrl, `${TEMPLATE}_draft`);
  const { db, pool, close } = openDatabase(url, 4, () => {});
  await migrate(db);
  // The queues' own tables are a fifth of what a first start takes.
  const log = createLog('silent');
  const jobs = new Jobs({ db, pool, listener: new Listener(url, log), log, worker: false });
  await jobs.open();
  await jobs.close();
  await close();
  await admin.query(`alter database ${TEMPLATE}_draft rename to ${TEMPLATE}`);
}

async function asAdmin(url: string, work: (admin: pg.Client) => Promise<void>): Promise<void> {
  const admin = new pg.Client({ connectionString: url });
  await admin.connect();
  try {
    await work(admin);
  } finally {
    await admin.end();
  }
}

/** The database's name is the path of the URL; a socket's URL has no host, which URL itself would refuse. */
const databaseAt = (url: string, name: string) => url.replace(/^(postgres(?:ql)?:\/\/[^/]*\/)[^?]*/, `$1${name}`);

export async function findMail(folder: string, address: string, containing = ''): Promise<string> {
  for (let attempt = 0; attempt < 2_400; attempt++) {
    const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith('.eml'));
    const mails = await Promise.all(names.map((name) => readMail(join(folder, name))));
    const found = mails.filter(({ text }) => text.includes(`To: ${address}\n`) && text.includes(containing));
    if (found.length > 0) return found.sort((a, b) => a.writtenMs - b.writtenMs).at(-1)?.text as string;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`no mail to ${address}`);
}

/** Two may have the same second as their date. */
async function readMail(file: string): Promise<{ text: string; writtenMs: number }> {
  const [text, { mtimeMs }] = await Promise.all([readFile(file, 'utf8'), stat(file)]);
  // Ours have lines that end as files do, those of sites as mails do.
  return { text: text.replaceAll('\r\n', '\n'), writtenMs: mtimeMs };
}
