import { statfs } from 'node:fs/promises';
import { availableParallelism, loadavg, totalmem } from 'node:os';
import type { Log } from '#core/log.ts';
import { EVERY_ROLE, type Part, type Stop } from '#core/part.ts';
import type { EdgeTotals } from '#edge/totals.ts';
import { currentSlot, type EdgeReading, type PlatformReading, writeReading } from '#features/overview/overview.ts';
import type { LocalHost } from '#host/local-host.ts';
import type { RuntimePressure } from '#runtimes/runtime.ts';
import { EMPTY_QUEUE } from '#timemachine/stores/store.ts';
import type { Assembly } from './assembly.ts';

const FIRST_MS = 2_000;
const EVERY_MS = 60_000;

/** Writes down every minute what this process sees of its host and its edge, for operators, who may ask another process. */
export function readings({ services, edge }: Assembly): Part {
  const { config, localHost, processId, db, log } = services;
  return {
    name: 'readings for operators',
    stage: 'serve',
    roles: EVERY_ROLE,
    async start() {
      const isEdge = config.roles.has('edge');
      if (!localHost && !isEdge) return undefined;
      let begun: { slot: number; at: EdgeReading } | undefined;
      const write = async () => {
        const slot = await currentSlot(db);
        const totals = edgeTotals(edge.totals);
        if (begun?.slot !== slot.getTime()) begun = { slot: slot.getTime(), at: totals };
        const host = localHost ? await hostReading(localHost, config.dataDir) : null;
        await writeReading(db, slot, { processId, host, edge: isEdge ? since(totals, begun.at) : null });
      };
      return writeReadings(write, log);
    },
  };
}

export function writeReadings(write: () => Promise<void>, log: Log): Stop {
  let writing: Promise<unknown> = Promise.resolve();
  let timer = setTimeout(() => {}, 0);
  const later = (ms: number) => {
    timer = setTimeout(() => {
      writing = write()
        .catch((error) => log.warn({ err: error }, 'what this process sees could not be written down'))
        .finally(() => later(EVERY_MS));
    }, ms).unref();
  };
  later(FIRST_MS);
  return () => {
    // What is under way would begin another pause.
    const end = () => clearTimeout(timer);
    end();
    return writing.then(end);
  };
}

function edgeTotals({ requests, failures, cacheHits, cacheMisses, latency }: EdgeTotals): EdgeReading {
  return {
    requests,
    failures: [...failures.values()].reduce((sum, count) => sum + count, 0),
    cache_hits: cacheHits,
    cache_misses: cacheMisses,
    latency: [...latency.counts],
  };
}

function since(now: EdgeReading, before: EdgeReading): EdgeReading {
  return {
    requests: now.requests - before.requests,
    failures: now.failures - before.failures,
    cache_hits: now.cache_hits - before.cache_hits,
    cache_misses: now.cache_misses - before.cache_misses,
    latency: now.latency.map((count, step) => count - (before.latency[step] ?? 0)),
  };
}

export async function hostReading(host: LocalHost, dataDir: string): Promise<NonNullable<PlatformReading['host']>> {
  const disk = await statfs(dataDir);
  const drivers = Object.values(host.drivers);
  const awake = drivers.flatMap((driver) => driver.awake());
  const pressures = drivers.map(({ pressure }) => pressure).filter((known) => known !== undefined);
  const sumOf = (figure: (pressure: RuntimePressure) => number) =>
    Math.round(pressures.reduce((sum, pressure) => sum + figure(pressure), 0));
  const queue = host.timeMachine.uploads?.state ?? EMPTY_QUEUE;
  return {
    name: host.name,
    disk_bytes: disk.blocks * disk.bsize,
    disk_free_bytes: disk.bavail * disk.bsize,
    // Where a control group bounds it, that is what there is.
    memory_bytes: Math.min(totalmem(), process.constrainedMemory() || totalmem()),
    memory_free_bytes: process.availableMemory(),
    cores: availableParallelism(),
    load: Math.round((loadavg()[0] ?? 0) * 100) / 100,
    sites_awake: new Set(awake.map(({ siteId }) => siteId)).size,
    php_processes: awake.length,
    php_waiting: sumOf(({ waiting }) => waiting),
    php_used_bytes: sumOf(({ usedBytes }) => usedBytes),
    php_budget_bytes: sumOf(({ budgetBytes }) => budgetBytes),
    php_is_short: pressures.some(({ isTooSmall }) => isTooSmall),
    backup_queue: {
      objects: queue.objects,
      bytes: queue.bytes,
      oldest_seconds: queue.oldestMs === null ? 0 : Math.max(0, Math.round((Date.now() - queue.oldestMs) / 1000)),
      trouble: queue.trouble,
    },
  };
}
