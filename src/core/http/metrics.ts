import { AggregatorRegistry, Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Figures } from '#core/figures.ts';
import type { Services } from '#core/services.ts';

/**
 * What Prometheus scrapes. deploy/grafana shows it, and a test holds that every name used there is here. No label names a
 * site, a team or a person: how many series there are does not depend on how many of those there are.
 */
export interface Metrics {
  /** `cache`: status of the page cache, such as HIT; null if the cache was bypassed. */
  observeVisit(cache: string | null, seconds: number): void;
  observeRequest(operation: string, method: string, status: number, seconds: number): void;
  /** The page that Prometheus scrapes; figures are read at that moment. `others` are those of processes that answer on the same port. */
  render(others?: readonly MetricFigures[]): Promise<string>;
  /** The figures of this process, for another one that renders them. */
  read(): Promise<MetricFigures>;
  contentType: string;
}

/** As prom-client has them; plain data. */
export type MetricFigures = Awaited<ReturnType<Registry['getMetricsAsJSON']>>;

const PREFIX = 'siteyard_';
/** Gauges of prom-client that are named like counters, which Prometheus' own checker objects to. */
const MISNAMED = ['handles', 'requests', 'resources'].map((what) => `${PREFIX}nodejs_active_${what}_total`);

export function createMetrics(services: Services, figures: readonly Figures[]): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, prefix: PREFIX });
  for (const name of MISNAMED) registry.removeSingleMetric(name);
  const requests = new Histogram({
    name: `${PREFIX}http_request_duration_seconds`,
    help: 'Time to answer, by operation and status',
    labelNames: ['operation', 'method', 'status'],
    buckets: [0.005, 0.025, 0.1, 0.5, 2.5, 10, 60],
    registers: [registry],
  });
  const visits = new Histogram({
    name: `${PREFIX}edge_request_duration_seconds`,
    help: 'Response time of requests to sites, by page cache status',
    labelNames: ['cache'],
    buckets: [0.001, 0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 10, 60],
    registers: [registry],
  });
  // A lookup of labels costs more than a count.
  const visitsBy = new Map<string | null, Histogram.Internal<'cache'>>();
  const unread = new Gauge({
    name: `${PREFIX}metrics_unread`,
    help: 'Groups of metrics that could not be read and are left out, such as those of an unreachable database',
    registers: [registry],
    aggregator: 'sum',
  });
  const refreshers = figures.map((each) => ({ refresh: register(registry, each), names: namesOf(each) }));
  /**
   * Returns the names of metrics that could not be read, so that a scrape still has the rest while the database is
   * down.
   */
  const refresh = async (): Promise<Set<string>> => {
    const missing = new Set<string>();
    unread.set(0);
    // One after another: a scrape takes one connection of the pool.
    for (const { refresh, names } of refreshers)
      await refresh(services).catch((error) => {
        services.log.warn({ err: error, metrics: names }, 'failed to read some metrics');
        unread.inc();
        for (const name of names) missing.add(name);
      });
    return missing;
  };
  const read = async (): Promise<MetricFigures> => {
    const missing = await refresh();
    return (await registry.getMetricsAsJSON()).filter(({ name }) => !missing.has(name));
  };
  return {
    contentType: registry.contentType,
    observeVisit(cache, seconds) {
      let histogram = visitsBy.get(cache);
      if (!histogram) {
        histogram = visits.labels({ cache: cache?.toLowerCase() ?? 'none' });
        visitsBy.set(cache, histogram);
      }
      histogram.observe(seconds);
    },
    observeRequest(operation, method, status, seconds) {
      requests.observe({ operation, method, status }, seconds);
    },
    async render(others = []) {
      return AggregatorRegistry.aggregate([(await read()).map(told), ...others]).metrics();
    },
    read,
  };
}

/** When the service started is when its first process did. */
function told(metric: MetricFigures[number]): MetricFigures[number] {
  return metric.aggregator === 'omit' ? { ...metric, aggregator: 'first' } : metric;
}

const namesOf = ({ metrics }: Figures): string[] => Object.keys(metrics).map((name) => PREFIX + name);

/** Returns what reads the figures anew. */
function register(registry: Registry, { metrics, read }: Figures): (services: Services) => Promise<void> {
  const shown = Object.entries(metrics).map(([name, { help, type, label, together = 'sum' }]) => {
    const labelNames = label ? [label] : [];
    const settings = { name: PREFIX + name, help, labelNames, registers: [registry], aggregator: together };
    return { name, label, metric: type === 'counter' ? new Counter(settings) : new Gauge(settings) };
  });
  return async (services) => {
    const values = await read(services);
    for (const { name, label, metric } of shown) {
      const value = values[name] as (typeof values)[string];
      // What is there no more, such as a queue that is empty, must not keep what it had.
      metric.reset();
      if (typeof value === 'number') metric.inc(value);
      else for (const [of, each] of Object.entries(value)) metric.inc({ [label as string]: of }, each);
    }
  };
}
