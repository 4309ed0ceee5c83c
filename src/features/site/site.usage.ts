import type { Db } from '#core/db/database.ts';
import { quantileMs, sumDurations } from '#edge/durations.ts';
import type { UsageQuery } from '#features/usage/usage.schema.ts';
import { readUsageRange } from '#features/usage/usage.ts';
import type { SiteUsage } from './site.schema.ts';
import { readUsage } from './site.usage.sql.ts';

export async function getSiteUsage(db: Db, siteId: string, query: UsageQuery): Promise<SiteUsage> {
  const range = readUsageRange(query);
  const counted = await readUsage(db, siteId, range);
  const points = counted.map(({ durations, ...point }) => ({ ...point, p95_ms: quantileMs(durations, 0.95) }));
  const p95_ms = quantileMs(sumDurations(counted.map(({ durations }) => durations)), 0.95);
  return { ...range, points, p95_ms };
}
