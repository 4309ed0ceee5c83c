import { statfs } from 'node:fs/promises';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { sql } from 'kysely';
import type pg from 'pg';
import { BUILD_VERSION } from '#core/build-stamp.ts';
import type { Db } from '#core/db/database.ts';
import { type Figures, figures } from '#core/figures.ts';
import type { Jobs } from '#core/jobs/jobs.ts';
import type { EdgeTotals } from '#edge/totals.ts';
import type { LocalHost } from '#host/local-host.ts';
import type { RuntimePressure } from '#runtimes/runtime.ts';
import { EMPTY_QUEUE } from '#timemachine/stores/store.ts';
import type { Config } from '../config.ts';
import type { PortGroup } from './port-group/port-group.ts';
import { countBlocks } from './watchdog/watchdog.ts';

/** What an operator sees of the process itself; what is true of the whole platform comes with the features. */
export function queueFigures(jobs: Jobs): Figures {
  return figures({
    metrics: {
      queue_jobs_waiting: { help: 'Jobs waiting, by queue', type: 'gauge', label: 'queue' },
      queue_jobs_active: { help: 'Jobs being worked on, by queue', type: 'gauge', label: 'queue' },
      queue_oldest_seconds: { help: 'Age of the oldest due job, by queue', type: 'gauge', label: 'queue' },
    },
    async read() {
      const states = await jobs.states();
      return {
        queue_jobs_waiting: Object.fromEntries(states.map(({ queue, waiting }) => [queue, waiting])),
        queue_jobs_active: Object.fromEntries(states.map(({ queue, active }) => [queue, active])),
        queue_oldest_seconds: Object.fromEntries(states.map(({ queue, oldest_seconds }) => [queue, oldest_seconds])),
      };
    },
  });
}

export function connectionFigures(pool: pg.Pool): Figures {
  return figures({
    metrics: {
      database_connections: { help: 'Connections of the pool, by state', type: 'gauge', label: 'state' },
      event_streams_open: { help: 'Open event streams', type: 'gauge' },
    },
    read: ({ events }) => ({
      database_connections: { total: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount },
      event_streams_open: events.openStreams,
    }),
  });
}

/** Metrics of the platform's database, reported by one of the processes that share the ports. */
export function databaseFigures(db: Db): Figures {
  return figures({
    metrics: {
      database_up: { help: '1 if the database responded to this scrape, else 0', type: 'gauge' },
      database_latency_seconds: { help: 'Duration of a trivial query, failed or not', type: 'gauge', together: 'max' },
    },
    async read() {
      const startedAtMs = performance.now();
      const isUp = await sql`select 1`.execute(db).then(
        () => 1,
        () => 0,
      );
      return { database_up: isUp, database_latency_seconds: (performance.now() - startedAtMs) / 1000 };
    },
  });
}

export function databaseSizeFigures(db: Db): Figures {
  return figures({
    metrics: { database_size_bytes: { help: 'Size of the database of the platform', type: 'gauge', together: 'max' } },
    async read() {
      const { rows } = await sql<{ bytes: number }>`
        select pg_database_size(current_database())::float as bytes`.execute(db);
      return { database_size_bytes: rows[0]?.bytes ?? 0 };
    },
  });
}

/** Metrics of the build and of the disks that hold the platform's folders. */
export function machineFigures({ dataDir, backupStore }: Config): Figures {
  const folders = { data: dataDir, ...('folder' in backupStore && { backups: backupStore.folder }) };
  return figures({
    metrics: {
      build_info: { help: '1, by the version and the stamp of the build', type: 'gauge', label: 'version' },
      disk_bytes: { help: 'Size of the disk of a folder', type: 'gauge', label: 'folder' },
      disk_free_bytes: {
        help: 'Free disk space that the service can use, by folder',
        type: 'gauge',
        label: 'folder',
      },
    },
    async read() {
      const found = Object.entries(folders).map(async ([name, folder]) => {
        // The store of backups is made with the first backup.
        const disk = await statfs(folder).catch(() => undefined);
        return disk ? [[name, disk] as const] : [];
      });
      const disks = (await Promise.all(found)).flat();
      return {
        build_info: { [BUILD_VERSION]: 1 },
        disk_bytes: Object.fromEntries(disks.map(([name, { blocks, bsize }]) => [name, blocks * bsize])),
        disk_free_bytes: Object.fromEntries(disks.map(([name, { bavail, bsize }]) => [name, bavail * bsize])),
      };
    },
  });
}

export function hostFigures(host: LocalHost): Figures {
  return figures({
    metrics: {
      sites_awake: { help: 'Sites whose PHP runs here', type: 'gauge' },
      php_processes: { help: 'PHP processes that serve sites here; a busy site has several', type: 'gauge' },
      sites_memory_bytes: { help: 'Memory of the PHP processes of sites, as last seen', type: 'gauge' },
      php_standby_ready: { help: 'Warm PHP processes that wait for a site', type: 'gauge' },
      php_memory_used_bytes: { help: 'Memory of all PHP processes, those about to start included', type: 'gauge' },
      php_memory_budget_bytes: { help: 'What all PHP processes may use together (PHP_MEMORY_MB)', type: 'gauge' },
      php_memory_too_small: {
        help: '1 where sites had to wait for the memory of others in the last five minutes',
        type: 'gauge',
      },
      php_waiting: { help: 'Sites and commands that wait for memory for a process', type: 'gauge' },
      php_turned_away_total: { help: 'Starts that were given up for want of memory', type: 'counter' },
      php_ended_for_others_total: {
        help: 'Requests and commands that took long and were ended because other teams waited',
        type: 'counter',
      },
      backup_store_up: { help: '0 where the store of backups took nothing when it was last asked', type: 'gauge' },
      backup_queue_objects: { help: 'What waits on this disk for the store of backups', type: 'gauge' },
      backup_queue_bytes: { help: 'How much that is', type: 'gauge' },
      backup_queue_age_seconds: { help: 'How long the first of them has been waiting', type: 'gauge' },
    },
    read() {
      const queue = host.timeMachine.uploads?.state ?? EMPTY_QUEUE;
      const drivers = Object.values(host.drivers);
      const awake = drivers.flatMap((driver) => driver.awake());
      const pressures = drivers.map(({ pressure }) => pressure).filter((known) => known !== undefined);
      const sumOf = (figure: (pressure: RuntimePressure) => number) =>
        pressures.reduce((sum, pressure) => sum + figure(pressure), 0);
      return {
        sites_awake: new Set(awake.map(({ siteId }) => siteId)).size,
        php_processes: awake.length,
        sites_memory_bytes: awake.reduce((sum, { memoryBytes }) => sum + memoryBytes, 0),
        php_standby_ready: drivers.reduce((sum, { standbyReady }) => sum + standbyReady, 0),
        php_memory_used_bytes: sumOf(({ usedBytes }) => usedBytes),
        php_memory_budget_bytes: sumOf(({ budgetBytes }) => budgetBytes),
        php_memory_too_small: Math.min(
          1,
          sumOf(({ isTooSmall }) => Number(isTooSmall)),
        ),
        php_waiting: sumOf(({ waiting }) => waiting),
        php_turned_away_total: sumOf(({ turnedAway }) => turnedAway),
        php_ended_for_others_total: sumOf(({ ended }) => ended),
        backup_store_up: queue.trouble === null ? 1 : 0,
        backup_queue_objects: queue.objects,
        backup_queue_bytes: queue.bytes,
        backup_queue_age_seconds: queue.oldestMs === null ? 0 : Math.max(0, (Date.now() - queue.oldestMs) / 1000),
      };
    },
  });
}

export function eventLoopFigures(group: Pick<PortGroup, 'replaced'>): Figures {
  const loop = monitorEventLoopDelay({ resolution: 20 });
  loop.enable();
  return figures({
    metrics: {
      event_loop_delay_seconds: {
        help: 'Event loop delay since the last scrape',
        type: 'gauge',
        label: 'percentile',
        together: 'max',
      },
      event_loop_blocks_total: { help: 'Blocks of the event loop of more than 2 s', type: 'counter' },
      processes_replaced_total: {
        help: 'Restarts of processes that share the ports after an unexpected exit',
        type: 'counter',
      },
    },
    read() {
      const delays = [50, 99].map((percentile) => [String(percentile), loop.percentile(percentile) / 1e9]);
      loop.reset();
      return {
        event_loop_delay_seconds: Object.fromEntries(delays),
        event_loop_blocks_total: countBlocks(),
        processes_replaced_total: group.replaced,
      };
    },
  });
}

/** What the edge of this process did since it started. */
export function edgeFigures(totals: EdgeTotals): Figures {
  return figures({
    metrics: {
      edge_requests_total: { help: 'Requests to sites', type: 'counter' },
      edge_visits_total: {
        help: 'Visits to sites: the pages of one visitor within half an hour',
        type: 'counter',
      },
      edge_sent_bytes_total: { help: 'Bytes sent to visitors of sites', type: 'counter' },
      edge_cache_lookups_total: {
        help: 'Pages looked for in the cache, by result',
        type: 'counter',
        label: 'result',
      },
      edge_site_answers_total: {
        help: "Answers of sites' own processes, by class of status",
        type: 'counter',
        label: 'status',
      },
      edge_failures_total: {
        help: 'Visits that ended with a notice of the edge, by reason',
        type: 'counter',
        label: 'reason',
      },
    },
    read: () => ({
      edge_requests_total: totals.requests,
      edge_visits_total: totals.visits,
      edge_sent_bytes_total: totals.bytes,
      edge_cache_lookups_total: { hit: totals.cacheHits, miss: totals.cacheMisses },
      edge_site_answers_total: Object.fromEntries(totals.answers),
      edge_failures_total: Object.fromEntries(totals.failures),
    }),
  });
}
