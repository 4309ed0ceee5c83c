import type { SiteUsage } from '#sdk';
import { formatCount, formatDuration, formatRatio } from '../ui/format.ts';

type Point = SiteUsage['points'][number];

export type Metric = {
  value: string;
  label: string;
  /** Null where nothing was counted: there is no share of nothing. */
  read: (point: Point) => number | null;
  /** Of all points together. */
  total: (usage: SiteUsage) => number | null;
  format: (value: number) => string;
  /** The least that the top of the chart stands for: one visit is no full chart. */
  least: number;
};

const sumOf =
  (read: (point: Point) => number) =>
  ({ points }: SiteUsage) =>
    points.reduce((sum, point) => sum + read(point), 0);

const share = (hits: number, misses: number) => (hits + misses === 0 ? null : hits / (hits + misses));

function counted(value: 'visits' | 'requests' | 'errors', label: string): Metric {
  const read = (point: Point) => point[value];
  return { value, label, read, total: sumOf(read), format: formatCount, least: 4 };
}

export const metrics: Metric[] = [
  counted('visits', 'Visits'),
  counted('requests', 'Requests'),
  counted('errors', 'Errors'),
  {
    value: 'p95',
    label: 'Response, p95',
    read: ({ p95_ms }) => p95_ms,
    total: ({ p95_ms }) => p95_ms,
    format: formatDuration,
    least: 100,
  },
  {
    value: 'cache',
    label: 'From the cache',
    read: ({ cache_hits, cache_misses }) => share(cache_hits, cache_misses),
    total: (usage) =>
      share(sumOf(({ cache_hits }) => cache_hits)(usage), sumOf(({ cache_misses }) => cache_misses)(usage)),
    format: formatRatio,
    least: 1,
  },
];
