import { sql } from 'kysely';
import type { Db } from '#core/db/database.ts';
import type { UsageRange } from '#features/usage/usage.ts';
import type { UsagePoint } from './site.schema.ts';

export type CountedPoint = Omit<UsagePoint, 'p95_ms'> & { durations: number[] };

/** The counters of a site in equal steps of UTC, with zeros where nothing happened. */
export async function readUsage(db: Db, siteId: string, { from, to, step }: UsageRange): Promise<CountedPoint[]> {
  const { rows } = await sql<CountedPoint>`
    with counted as (
      select date_trunc(${step}, hour, 'UTC') as at, sum(visits) as visits, sum(requests) as requests, sum(bytes) as bytes,
        sum(cached_bytes) as cached_bytes, sum(cache_hits) as cache_hits, sum(cache_misses) as cache_misses,
        sum(errors) as errors, sum_counts(durations) as durations
      from site_usage where site_id = ${siteId} and hour >= ${from} and hour < ${to} group by 1
    )
    select at, coalesce(visits, 0)::bigint as visits, coalesce(requests, 0)::bigint as requests,
      coalesce(bytes, 0)::bigint as bytes, coalesce(cached_bytes, 0)::bigint as cached_bytes,
      coalesce(cache_hits, 0)::bigint as cache_hits, coalesce(cache_misses, 0)::bigint as cache_misses,
      coalesce(errors, 0)::bigint as errors, coalesce(durations, '{}') as durations
    from generate_series(${from}::timestamptz, ${to}::timestamptz - interval '1 millisecond', ${`1 ${step}`}::interval, 'UTC') as at
    left join counted using (at) order by at`.execute(db);
  return rows;
}
