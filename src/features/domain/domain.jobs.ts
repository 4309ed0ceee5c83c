import { DnsFailed } from '#core/dns.ts';
import { jobKind } from '#core/jobs/jobs.ts';
import type { Services } from '#core/services.ts';
import { listRegions, type Region } from '#features/region/region.ts';
import { isServedByUs } from './domain.records.ts';
import { findZonesToLookAt, type NamedSite, noteZone } from './domain.sql.ts';

const EVERY_HOURS = 6;
/** How many a run takes, so that it ends within its minute, and how many of these are asked for side by side. */
const AT_ONCE = 200;
const SIDE_BY_SIDE = 20;

/** Keeps `is_ns_root` true: a domain moves to other name servers without telling us. */
export const lookAtZones = jobKind<Record<string, never>>({
  name: 'domain.zones',
  lane: 'background',
  schedule: '* * * * *',
  async run(_payload, { services }) {
    const regions = await listRegions(services.db);
    const due = await findZonesToLookAt(services.db, EVERY_HOURS, AT_ONCE);
    // Each takes the next one when it is done, so that a silent name server holds up its own place alone.
    await Promise.all(
      Array.from({ length: SIDE_BY_SIDE }, async () => {
        for (let site = due.shift(); site; site = due.shift()) await lookAtZone(services, regions, site);
      }),
    );
  },
});

async function lookAtZone({ db, dns }: Services, regions: readonly Region[], site: NamedSite): Promise<void> {
  const region = regions.find(({ id }) => id === site.region_id) as Region;
  const isNsRoot = await isServedByUs(dns, site.fqdn, region).catch((error) => {
    if (error instanceof DnsFailed) return undefined;
    throw error;
  });
  await noteZone(db, site, isNsRoot);
}
