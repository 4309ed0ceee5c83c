import { monitorEventLoopDelay } from 'node:perf_hooks';
import type pg from 'pg';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { EventHub } from '#core/events/hub.ts';
import type { Jobs } from '#core/jobs/jobs.ts';

/**
 * What Prometheus scrapes. deploy/grafana shows it, and a test holds that every name used there is here. No label names a
 * site, a team or a person: how many series there are does not depend on how many of those there are.
 */
export interface Metrics {
  observeRequest(operation: string, method: string, status: number, seconds: number): void;
  /** The page that Prometheus scrapes; figures of the database are read at that moment. */
  render(): Promise<string>;
  contentType: string;
}

/** What runs sites in this process. */
interface SiteProcesses {
  awake(): { siteId: string; memoryBytes: number }[];
  readonly standbyReady: number;
}

/** What the edge of this process did since it started. */
interface EdgeCounts {
  visits: number;
  requests: number;
  bytes: number;
  cacheHits: number;
  cacheMisses: number;
  answers: ReadonlyMap<string, number>;
  failures: ReadonlyMap<string, number>;
}

/** How far behind the backups are, of all processes together. */
export interface BackupFigures {
  due: number;
  oldest_seconds: number;
  failing: number;
}

/** Calls of webhooks that are yet to be made, of all processes together. */
export interface WebhookFigures {
  waiting: number;
  overdue_seconds: number;
}

/** What is true of the whole platform, whichever process is asked. */
interface PlatformFigures {
  backups: BackupFigures;
  webhooks: WebhookFigures;
  /** By state. */
  sites: Record<string, number>;
  failedJobs: number;
}

export interface MetricsSources {
  pool: pg.Pool;
  jobs: Pick<Jobs, 'states'>;
  events: Pick<EventHub, 'openStreams'>;
  runtime: SiteProcesses;
  edge: EdgeCounts | undefined;
  platform: () => Promise<PlatformFigures>;
}

/** Gauges of prom-client that are named like counters, which Prometheus' own checker objects to. */
const MISNAMED = ['handles', 'requests', 'resources'].map((what) => `siteyard_nodejs_active_${what}_total`);

export function createMetrics({ pool, jobs, events, runtime, edge, platform }: MetricsSources): Metrics {
  const registry = new Registry();
  const registers = [registry];
  const gauge = (name: string, help: string, ...labelNames: string[]) =>
    new Gauge({ name: `siteyard_${name}`, help, labelNames, registers });
  const counter = (name: string, help: string, ...labelNames: string[]) =>
    new Counter({ name: `siteyard_${name}`, help, labelNames, registers });
  collectDefaultMetrics({ register: registry, prefix: 'siteyard_' });
  for (const name of MISNAMED) registry.removeSingleMetric(name);

  const requests = new Histogram({
    name: 'siteyard_http_request_duration_seconds',
    help: 'Time to answer, by operation and status',
    labelNames: ['operation', 'method', 'status'],
    buckets: [0.005, 0.025, 0.1, 0.5, 2.5, 10, 60],
    registers,
  });
  const queueWaiting = gauge('queue_jobs_waiting', 'Jobs waiting, by queue', 'queue');
  const queueActive = gauge('queue_jobs_active', 'Jobs being worked on, by queue', 'queue');
  const queueAge = gauge('queue_oldest_seconds', 'Age of the oldest due job, by queue', 'queue');
  const failedJobs = gauge('failed_jobs', 'Jobs whose retries are used up, waiting for an operator');
  const poolUse = gauge('database_connections', 'Connections of the pool, by state', 'state');
  const streams = gauge('event_streams_open', 'Open event streams');
  const sites = gauge('sites', 'Sites of the whole platform, by state', 'state');
  const sitesAwake = gauge('sites_awake', 'Sites whose PHP runs here');
  const processes = gauge('php_processes', 'PHP processes that serve sites here; a busy site has several');
  const sitesMemory = gauge('sites_memory_bytes', 'Memory of the PHP processes of sites, as last seen');
  const standby = gauge('php_standby_ready', 'Warm PHP processes that wait for a site');
  const backupsDue = gauge('backups_due', 'Sites whose backup is due');
  const backupsOldest = gauge('backups_overdue_seconds', 'How long the backup that waits longest has been due');
  const backupsFailing = gauge('backups_failing', 'Sites whose last backup failed');
  const webhooksWaiting = gauge(
    'webhook_deliveries_waiting',
    'Calls of webhooks that wait for their turn or for another attempt',
  );
  const webhooksOverdue = gauge(
    'webhook_deliveries_overdue_seconds',
    'How long the call that waits longest has been due',
  );
  const delay = gauge('event_loop_delay_seconds', 'Event loop delay since the last scrape', 'percentile');
  const edgeRequests = counter('edge_requests_total', 'Requests to sites');
  const edgeVisits = counter('edge_visits_total', 'Visits to sites: the pages of one visitor within half an hour');
  const edgeBytes = counter('edge_sent_bytes_total', 'Bytes sent to visitors of sites');
  const edgeLookups = counter('edge_cache_lookups_total', 'Pages looked for in the cache, by result', 'result');
  const edgeAnswers = counter(
    'edge_site_answers_total',
    "Answers of sites' own processes, by class of status",
    'status',
  );
  const edgeFailures = counter(
    'edge_failures_total',
    'Visits that ended with a notice of the edge, by reason',
    'reason',
  );
  const loop = monitorEventLoopDelay({ resolution: 20 });
  loop.enable();

  const readEdge = (counts: EdgeCounts) => {
    const set = (metric: Counter, value: number, labels: Record<string, string> = {}) => {
      metric.remove(labels);
      metric.inc(labels, value);
    };
    set(edgeRequests, counts.requests);
    set(edgeVisits, counts.visits);
    set(edgeBytes, counts.bytes);
    set(edgeLookups, counts.cacheHits, { result: 'hit' });
    set(edgeLookups, counts.cacheMisses, { result: 'miss' });
    for (const [status, count] of counts.answers) set(edgeAnswers, count, { status });
    for (const [reason, count] of counts.failures) set(edgeFailures, count, { reason });
  };

  const readQueues = async () => {
    const states = await jobs.states();
    // A queue that is empty is not among them, and must not keep what it had.
    for (const metric of [queueWaiting, queueActive, queueAge]) metric.reset();
    for (const { queue, waiting, active, oldest_seconds } of states) {
      queueWaiting.set({ queue }, waiting);
      queueActive.set({ queue }, active);
      queueAge.set({ queue }, oldest_seconds);
    }
  };

  const readPlatform = async () => {
    const figures = await platform();
    backupsDue.set(figures.backups.due);
    backupsOldest.set(figures.backups.oldest_seconds);
    backupsFailing.set(figures.backups.failing);
    webhooksWaiting.set(figures.webhooks.waiting);
    webhooksOverdue.set(figures.webhooks.overdue_seconds);
    failedJobs.set(figures.failedJobs);
    for (const [state, count] of Object.entries(figures.sites)) sites.set({ state }, count);
  };

  const readProcess = () => {
    poolUse.set({ state: 'total' }, pool.totalCount);
    poolUse.set({ state: 'idle' }, pool.idleCount);
    poolUse.set({ state: 'waiting' }, pool.waitingCount);
    streams.set(events.openStreams);
    const awake = runtime.awake();
    sitesAwake.set(new Set(awake.map(({ siteId }) => siteId)).size);
    processes.set(awake.length);
    sitesMemory.set(awake.reduce((sum, { memoryBytes }) => sum + memoryBytes, 0));
    standby.set(runtime.standbyReady);
    for (const percentile of [50, 99]) delay.set({ percentile: String(percentile) }, loop.percentile(percentile) / 1e9);
    loop.reset();
  };

  return {
    contentType: registry.contentType,
    observeRequest(operation, method, status, seconds) {
      requests.observe({ operation, method, status }, seconds);
    },
    async render() {
      await readQueues();
      await readPlatform();
      readProcess();
      if (edge) readEdge(edge);
      return registry.metrics();
    },
  };
}
