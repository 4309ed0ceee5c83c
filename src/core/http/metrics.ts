import { monitorEventLoopDelay } from 'node:perf_hooks';
import type pg from 'pg';
import { collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { EventHub } from '#core/events/hub.ts';
import type { Jobs } from '#core/jobs/jobs.ts';

export interface Metrics {
  observeRequest(operation: string, method: string, status: number, seconds: number): void;
  /** The page that Prometheus scrapes; queue figures are read from the database at that moment. */
  render(): Promise<string>;
  contentType: string;
}

/** What runs sites in this process. */
export interface SiteProcesses {
  awake(): { memoryBytes: number }[];
  readonly standbyReady: number;
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

export function createMetrics(
  pool: pg.Pool,
  jobs: Jobs,
  events: EventHub,
  sites: SiteProcesses,
  figures: { backups(): Promise<BackupFigures>; webhooks(): Promise<WebhookFigures> },
): Metrics {
  const registers = [new Registry()];
  const registry = registers[0] as Registry;
  collectDefaultMetrics({ register: registry, prefix: 'siteyard_' });

  const requests = new Histogram({
    name: 'siteyard_http_request_duration_seconds',
    help: 'Time to answer, by operation and status',
    labelNames: ['operation', 'method', 'status'],
    buckets: [0.005, 0.025, 0.1, 0.5, 2.5, 10, 60],
    registers,
  });
  const queueWaiting = new Gauge({
    name: 'siteyard_queue_jobs_waiting',
    help: 'Jobs waiting, by queue',
    labelNames: ['queue'],
    registers,
  });
  const queueActive = new Gauge({
    name: 'siteyard_queue_jobs_active',
    help: 'Jobs being worked on, by queue',
    labelNames: ['queue'],
    registers,
  });
  const queueAge = new Gauge({
    name: 'siteyard_queue_oldest_seconds',
    help: 'Age of the oldest due job, by queue',
    labelNames: ['queue'],
    registers,
  });
  const poolUse = new Gauge({
    name: 'siteyard_database_connections',
    help: 'Connections of the pool, by state',
    labelNames: ['state'],
    registers,
  });
  const streams = new Gauge({ name: 'siteyard_event_streams_open', help: 'Open event streams', registers });
  const sitesAwake = new Gauge({ name: 'siteyard_sites_awake', help: 'Sites whose PHP runs here', registers });
  const sitesMemory = new Gauge({
    name: 'siteyard_sites_memory_bytes',
    help: 'Memory of the PHP processes of sites, as last seen',
    registers,
  });
  const standby = new Gauge({
    name: 'siteyard_php_standby_ready',
    help: 'Warm PHP processes that wait for a site',
    registers,
  });
  const backupsDue = new Gauge({ name: 'siteyard_backups_due', help: 'Sites whose backup is due', registers });
  const backupsOldest = new Gauge({
    name: 'siteyard_backups_overdue_seconds',
    help: 'How long the backup that waits longest has been due',
    registers,
  });
  const backupsFailing = new Gauge({
    name: 'siteyard_backups_failing',
    help: 'Sites whose last backup failed',
    registers,
  });
  const webhooksWaiting = new Gauge({
    name: 'siteyard_webhook_deliveries_waiting',
    help: 'Calls of webhooks that wait for their turn or for another attempt',
    registers,
  });
  const webhooksOverdue = new Gauge({
    name: 'siteyard_webhook_deliveries_overdue_seconds',
    help: 'How long the call that waits longest has been due',
    registers,
  });
  const delay = new Gauge({
    name: 'siteyard_event_loop_delay_seconds',
    help: 'Event loop delay since the last scrape',
    labelNames: ['quantile'],
    registers,
  });
  const loop = monitorEventLoopDelay({ resolution: 20 });
  loop.enable();

  return {
    contentType: registry.contentType,
    observeRequest(operation, method, status, seconds) {
      requests.observe({ operation, method, status }, seconds);
    },
    async render() {
      for (const state of await jobs.states()) {
        queueWaiting.set({ queue: state.queue }, state.waiting);
        queueActive.set({ queue: state.queue }, state.active);
        queueAge.set({ queue: state.queue }, state.oldest_seconds);
      }
      poolUse.set({ state: 'total' }, pool.totalCount);
      poolUse.set({ state: 'idle' }, pool.idleCount);
      poolUse.set({ state: 'waiting' }, pool.waitingCount);
      streams.set(events.openStreams);
      const backups = await figures.backups();
      backupsDue.set(backups.due);
      backupsOldest.set(backups.oldest_seconds);
      backupsFailing.set(backups.failing);
      const webhooks = await figures.webhooks();
      webhooksWaiting.set(webhooks.waiting);
      webhooksOverdue.set(webhooks.overdue_seconds);
      const awake = sites.awake();
      sitesAwake.set(awake.length);
      sitesMemory.set(awake.reduce((sum, { memoryBytes }) => sum + memoryBytes, 0));
      standby.set(sites.standbyReady);
      for (const quantile of [50, 99]) delay.set({ quantile: String(quantile / 100) }, loop.percentile(quantile) / 1e9);
      loop.reset();
      return registry.metrics();
    },
  };
}
