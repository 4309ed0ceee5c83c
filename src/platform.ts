import { randomBytes } from 'node:crypto';
import { link, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { sql } from 'kysely';
import { Credentials } from '#core/auth/credentials.ts';
import { inTransaction, openDatabase, type Tx } from '#core/db/database.ts';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '#core/db/embedded-postgres.ts';
import { Listener } from '#core/db/listener.ts';
import { Locks } from '#core/db/locks.ts';
import { migrate } from '#core/db/migrate.ts';
import { makeFolderDurably, syncFolder } from '#core/durable-folder.ts';
import { EventHub } from '#core/events/hub.ts';
import { FrontEnd } from '#core/http/front-end.ts';
import { createMetrics, type Metrics } from '#core/http/metrics.ts';
import { describeApi } from '#core/http/openapi.ts';
import { RateLimits } from '#core/http/rate-limits.ts';
import { serveReference } from '#core/http/reference.ts';
import { createApp, NO_SITES } from '#core/http/server.ts';
import { type JobKind, Jobs } from '#core/jobs/jobs.ts';
import { createLog, type Log } from '#core/log.ts';
import { Outbound } from '#core/outbound.ts';
import { openSecrets, WrongKey } from '#core/platform-key.ts';
import type { Secrets } from '#core/secrets.ts';
import type { Services } from '#core/services.ts';
import { SiteLog } from '#core/site-log/site-log.ts';
import { Edge } from '#edge/edge.ts';
import type { RouteSource } from '#edge/route.ts';
import { createOperator } from '#features/account/account.ts';
import { backupFigures } from '#features/backup/backup.ts';
import { BackupClock, listenToTouches } from '#features/backup-clock/backup-clock.ts';
import { receivePaymentEvent } from '#features/billing/billing.ts';
import { jobKinds, operations, schedules } from '#features/index.ts';
import { countFailedJobs } from '#features/job/job.sql.ts';
import { resealSecrets } from '#features/key-rotation/key-rotation.jobs.ts';
import { metricsClientSecret } from '#features/metrics-sign-in/metrics-sign-in.client.ts';
import { serveSignInMetadata } from '#features/metrics-sign-in/metrics-sign-in.routes.ts';
import { PRICES } from '#features/plan/plans.ts';
import { withPreviews } from '#features/preview/preview.ts';
import { seedRegions } from '#features/region/region.ts';
import {
  countSitesByState,
  listenToRuntime,
  siteReports,
  siteRoutes,
  stopRetiredSites,
  subscribeToPurges,
} from '#features/site/site.ts';
import { WebhookSender } from '#features/webhook/webhook.sender.ts';
import { webhookFigures } from '#features/webhook/webhook.ts';
import { createDns } from '#integrations/dns/dns.ts';
import { GitClient } from '#integrations/git/git.ts';
import { GitHostClient } from '#integrations/git/git-hosts.ts';
import { createMailer } from '#integrations/mail/mail.ts';
import { createPayments } from '#integrations/payments/payments.ts';
import { PhpWasmRuntime } from '#runtimes/php-wasm/php-wasm-runtime.ts';
import { TimeMachine } from '#timemachine/process/time-machine.ts';
import { type Config, ConfigError } from './config.ts';

const JOB_CONCURRENCY = 4;
const WEB_FOLDER = new URL('../web/dist', import.meta.url).pathname;

export interface Platform {
  url: string;
  services: Services;
  /** The operator's password where this start made one, to be shown once. */
  madeOperator: { email: string; password: string } | undefined;
  stop(): Promise<void>;
}

/** Puts the parts together for one role and serves. `extraJobs` are a test's own kinds of work. */
export async function startPlatform(config: Config, extraJobs: readonly JobKind[] = []): Promise<Platform> {
  const log = createLog(config.logLevel);
  const undo: (() => Promise<unknown>)[] = [];
  const stop = async () => {
    for (const step of undo.splice(0).reverse()) await step();
  };
  try {
    // Others may pass through, since the embedded Postgres runs as somebody else; each thing inside guards itself.
    await makeFolderDurably(config.dataDir, 0o711);
    const postgres = config.databaseUrl ? undefined : await startPostgres(config, log);
    if (postgres) undo.push(() => postgres.stop());
    const url = config.databaseUrl ?? (postgres as EmbeddedPostgres).url;

    const database = openDatabase(url, config.databasePoolSize, (error) =>
      log.warn({ err: error }, 'a database connection broke'),
    );
    undo.push(() => database.close());
    const applied = await migrate(database.db);
    if (applied.length > 0) log.info({ applied }, 'database migrated');
    const listener = new Listener(url, log);
    await listener.connect();
    undo.push(() => listener.close());

    const works = config.role === 'all' || config.role === 'worker';
    const jobs = new Jobs({ db: database.db, pool: database.pool, listener, log, worker: works });
    const serves = config.role === 'all' || config.role === 'edge';
    const outbound = new Outbound({ allow: config.outboundAllow, dnsServers: config.dnsServers });
    const runtime = createRuntime(config, log, outbound, serves);
    const locks = new Locks(database.pool);
    undo.push(() => locks.close());
    const store = { kind: 'disk', folder: join(config.dataDir, 'backups') } as const;
    const timeMachine = new TimeMachine({ store, processes: config.backupProcesses });
    undo.push(() => timeMachine.close());
    const siteLog = new SiteLog(join(config.dataDir, 'logs'), log);
    undo.push(() => siteLog.close());
    siteLog.start();
    const parts = { outbound, runtime, locks, timeMachine, siteLog };
    const services = await createServices(config, log, database.db, listener, jobs, parts);
    // Jobs end before the runtime that they work with, so the runtime's end comes first in a list that is walked backwards.
    undo.push(() => runtime.close());
    undo.push(() => jobs.close());
    await jobs.open();
    await prepareData(services);
    const routes = withPreviews(services, siteRoutes(services));
    // Every role runs sites: the edge for visitors, the worker for scheduled work, the api for whom it passes requests on.
    await runtime.open();
    listenToRuntime(services);
    const writeTouches = await listenToTouches(services);
    undo.push(writeTouches);
    await stopRetiredSites(services, routes);
    if (works) {
      await jobs.work([...jobKinds, ...extraJobs], services, schedules, JOB_CONCURRENCY);
      const clock = new BackupClock(services);
      undo.push(() => clock.close());
      clock.start();
      const sender = new WebhookSender(services);
      undo.push(() => sender.close());
      await sender.start();
    }

    if (!config.metricsToken) await keepForOperator(config, 'metrics-token', services.secrets.derive('metrics token'));
    if (config.metricsRedirectUris.length > 0 && !config.metricsClientSecret)
      await keepForOperator(config, 'metrics-client-secret', metricsClientSecret(services));
    // Scheduled work and calls of the API run PHP in every role, and what it asks of its own site is answered here.
    const edge = createEdge(services, routes);
    runtime.answerOwnCalls((siteId, connection) => edge.answerOwnCalls(siteId, connection));
    const metrics = createMetrics({
      pool: database.pool,
      jobs,
      events: services.events,
      runtime,
      edge: serves ? edge.totals : undefined,
      platform: () => platformFigures(services),
    });
    if (config.metricsPort !== undefined) undo.push(await serveMetrics(metrics, config.host, config.metricsPort));
    const answers = config.role === 'all' || config.role === 'api';
    undo.push(() => edge.close());
    await edge.start();
    await subscribeToPurges(services, (siteId) => edge.purge(siteId));
    let isComplete = false;
    const app = createApp({
      services,
      metrics,
      operations: answers ? operations : [],
      sites: serves ? edge : NO_SITES,
      ready: async () => {
        await sql`select 1`.execute(database.db);
        return isComplete && listener.connected;
      },
      ...(answers && {
        pages: (instance) => {
          serveReference(instance, describeApi(operations, config.baseUrl));
          serveSignInMetadata(instance, services);
          services.frontEnd.register(instance);
        },
      }),
    });
    await app.listen({ host: config.host, port: config.port });
    undo.push(async () => {
      // Streams never end by themselves, so they are ended before the server waits for its requests.
      services.events.close();
      await app.close();
    });
    // Last of all: a password that is made is shown, and a start that fails would take it along. Nobody is told that we
    // serve before there is somebody who can sign in.
    const madeOperator = await makeOperator(services);
    isComplete = true;
    const { port } = app.server.address() as AddressInfo;
    return { url: config.port === 0 ? `http://localhost:${port}` : config.baseUrl, services, madeOperator, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function startPostgres(config: Config, log: Log): Promise<EmbeddedPostgres> {
  return startEmbeddedPostgres({
    dataDir: join(config.dataDir, 'postgres'),
    log: (line) => log.info(line),
  });
}

/** Only who serves visitors keeps warm PHP at hand. */
function createRuntime(config: Config, log: Log, outbound: Outbound, keepsStandby: boolean): PhpWasmRuntime {
  return new PhpWasmRuntime({
    dataDir: config.dataDir,
    cacheDir: config.cacheDir,
    log,
    standbyWorkers: keepsStandby ? config.standbyWorkers : 0,
    memoryBudgetBytes: config.phpMemoryMb * 1024 * 1024,
    requestTimeoutMs: config.phpTimeoutSeconds * 1000,
    idleTimeoutMs: config.phpIdleMinutes * 60_000,
    processesPerSite: config.phpProcessesPerSite,
    requestsPerProcess: config.phpRequestsPerProcess,
    compiler: config.phpCompiler,
    allowedNetworks: config.outboundAllow,
    ...(config.wordpressSource && { releases: { outbound, source: config.wordpressSource } }),
  });
}

function createEdge(services: Services, routes: RouteSource): Edge {
  const { config, runtime, outbound, log } = services;
  return new Edge({
    routes,
    reports: siteReports(services),
    runtime,
    outbound,
    trustProxy: config.trustProxy,
    baseUrl: config.baseUrl,
    log,
  });
}

async function createServices(
  config: Config,
  log: Log,
  db: Services['db'],
  listener: Listener,
  jobs: Jobs,
  parts: Pick<Services, 'outbound' | 'runtime' | 'locks' | 'timeMachine' | 'siteLog'>,
): Promise<Services> {
  const secrets = await openOwnSecrets(config, db);
  const services: Services = {
    config,
    log,
    db,
    listener,
    ...parts,
    secrets,
    credentials: new Credentials(db, listener),
    events: new EventHub(db, listener, log),
    jobs,
    limits: new RateLimits(config.rateLimitFactor),
    frontEnd: await FrontEnd.load(WEB_FOLDER),
    dns: createDns(config.dnsServers),
    git: new GitClient({
      outbound: parts.outbound,
      folder: join(config.dataDir, 'git'),
      fileRoots: config.gitFileRoots,
    }),
    gitHosts: new GitHostClient(parts.outbound),
    mailer: createMailer({ smtpUrl: config.smtpUrl, from: config.mailFrom, folder: join(config.dataDir, 'mail'), log }),
    payments: createPayments({
      stripe: config.stripe,
      mayTest: config.billing === 'test',
      prices: PRICES,
      outbound: parts.outbound,
      store: db,
      secrets,
      baseUrl: config.baseUrl,
      // The built-in provider's events come the same way as those that another one sends.
      deliver: (tx, { body, signature }) => receivePaymentEvent(tx, services, Buffer.from(body), signature),
    }),
  };
  return services;
}

async function openOwnSecrets(config: Config, db: Services['db']): Promise<Secrets> {
  const key = config.secretKey ?? (await readOrMakeKey(join(config.dataDir, 'secret.key')));
  const before = config.previousSecretKeys.filter((each) => each !== key);
  return openSecrets(db, [key, ...before]).catch((error) => {
    throw error instanceof WrongKey ? new ConfigError([error.message]) : error;
  });
}

/** The platform's key. Losing it makes every sealed value unreadable, so nothing is ever written over one. */
async function readOrMakeKey(file: string): Promise<string> {
  const draft = `${file}.${process.pid}`;
  await writeFile(draft, `${randomBytes(32).toString('base64url')}\n`, { mode: 0o600, flush: true });
  // Fails where a key exists already, be it made this moment by another process.
  await link(draft, file).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
  await rm(draft);
  // What is sealed with the key is in the database a moment later, so its name has to last as well.
  await syncFolder(dirname(file));
  const key = (await readFile(file, 'utf8')).trim();
  if (key.length < 32) throw new Error(`${file} holds no key; restore it, or set SECRET_KEY`);
  return key;
}

async function platformFigures({ db }: Services) {
  return {
    backups: await backupFigures(db),
    webhooks: await webhookFigures(db),
    sites: await countSitesByState(db),
    failedJobs: await countFailedJobs(db),
  };
}

/** Where whoever sets up Prometheus and Grafana finds what was made for them. */
async function keepForOperator({ dataDir }: Config, name: string, secret: string): Promise<void> {
  await writeFile(join(dataDir, name), `${secret}\n`, { mode: 0o600 });
}

const SETUP_LOCK = 7_390_212;

/** What a first start writes; many instances may start at once, so one does it and the others find it done. */
async function prepareData({ db, config, jobs }: Services): Promise<void> {
  await inTransaction(db, async (tx) => {
    await sql`select pg_advisory_xact_lock(${SETUP_LOCK})`.execute(tx);
    if (config.previousSecretKeys.length > 0) await jobs.enqueueOnce(tx, resealSecrets, {}, resealSecrets.name);
    await placeRestoredEvents(tx);
    await seedRegions(tx, config);
    if (config.analytics) await sql`select note_analytics()`.execute(tx);
  });
}

async function makeOperator({ db, config }: Services): Promise<Platform['madeOperator']> {
  return inTransaction(db, async (tx) => {
    await sql`select pg_advisory_xact_lock(${SETUP_LOCK})`.execute(tx);
    const email = config.adminEmail ?? 'admin@localhost';
    const password = config.adminPassword ?? randomBytes(12).toString('base64url');
    const made = await createOperator(tx, email, password);
    return made && !config.adminPassword ? { email, password } : undefined;
  });
}

/** In a database restored from a dump, events carry transaction ids that this server has yet to reach. */
async function placeRestoredEvents(tx: Tx): Promise<void> {
  await sql`update events set id = id where xid >= pg_snapshot_xmax(pg_current_snapshot())`.execute(tx);
}

/** Prometheus on a port of its own: no token, so it belongs on an address that only the scraper reaches. */
async function serveMetrics(metrics: Metrics, host: string, port: number): Promise<() => Promise<void>> {
  const server = createServer(async (request, response) => {
    if (request.url !== '/metrics') return void response.writeHead(404).end();
    const page = await metrics.render().catch(() => undefined);
    if (page === undefined) response.writeHead(503).end();
    else response.writeHead(200, { 'content-type': metrics.contentType }).end(page);
  });
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, host, resolve));
  return () => new Promise((resolve) => server.close(() => resolve()));
}
