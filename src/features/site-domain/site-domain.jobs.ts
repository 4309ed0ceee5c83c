import { DnsFailed } from '#core/dns.ts';
import { jobKind } from '#core/jobs/jobs.ts';
import type { Services } from '#core/services.ts';
import { lookAtRecords } from '#features/domain/domain.ts';
import { listRegions, type Region } from '#features/region/region.ts';
import { isUnderSiteDomain } from '#features/site-name/site-name.ts';
import { type DueName, findDueNames, noteLook, noteOwnName } from './site-domain.sql.ts';

/** How many a run takes, so that it ends within its minute, and how many of these are asked for side by side. */
const AT_ONCE = 100;
const SIDE_BY_SIDE = 5;
/** Name servers that do not answer cost minutes: what is left then comes with the next run, in which teams have their turns anew. */
const RUN_MS = 40_000;

/** Finds out when the records of a name lead here, and when they no longer do. */
export const lookAtNames = jobKind<Record<string, never>>({
  name: 'domain.names',
  lane: 'background',
  schedule: '* * * * *',
  async run(_payload, { services }) {
    const regions = await listRegions(services.db);
    const due = await findDueNames(services.db, AT_ONCE);
    const endsAtMs = performance.now() + RUN_MS;
    await Promise.all(
      Array.from({ length: SIDE_BY_SIDE }, async () => {
        for (let name = due.shift(); name && performance.now() < endsAtMs; name = due.shift())
          await lookAtName(services, regions, name);
      }),
    );
  },
});

async function lookAtName(
  { db, dns, config, log }: Services,
  regions: readonly Region[],
  name: DueName,
): Promise<void> {
  const isOwn =
    isUnderSiteDomain(config, name.fqdn) || isUnderSiteDomain({ siteDomain: config.stageDomain }, name.fqdn);
  if (isOwn) return noteOwnName(db, name.fqdn);
  const region = regions.find(({ id }) => id === name.region_id) as Region;
  const isRight = await lookAtRecords(dns, name.fqdn, region).then(
    (records) => records.every(({ ok }) => ok),
    (error) => {
      // One name's trouble is not that of the others.
      if (!(error instanceof DnsFailed)) log.warn({ err: error, fqdn: name.fqdn }, 'could not look at a name');
      return undefined;
    },
  );
  await noteLook(db, name, isRight);
}
