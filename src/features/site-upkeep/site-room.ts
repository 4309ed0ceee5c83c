import type { Services } from '#core/services.ts';
import { PLANS } from '#features/plan/plan.ts';
import { measureSite } from './site-upkeep.jobs.ts';
import { storageOfSites } from './site-upkeep.sql.ts';

/** Beyond its plan a site gets no further than this: what was just refused can be tidied up, and a plan that is full is no broken site. */
const MARGIN_BYTES = 64 * 1024 * 1024;
/** When PHP has added so much, the site is measured. */
const MEASURE_BYTES = 32 * 1024 * 1024;
/** Measuring takes at most this part of the time. */
const MEASURE_SHARE = 1 / 5;
const AGAIN_MS = 60_000;

interface Growing {
  grownBytes: number;
  measuring: Promise<void> | undefined;
  restsUntil: number;
}

/**
 * Says how much sites may still grow, to the PHP that runs here: when it starts, every minute, and when it has added much. Each process
 * keeps to that by itself, however fast it writes (docs/decisions/0047).
 */
export async function watchRooms(services: Services): Promise<() => Promise<void>> {
  const { db, localHost, log } = services;
  const growing = new Map<string, Growing>();
  const tellRooms = async (siteIds: string[]) => {
    if (siteIds.length === 0) return;
    for (const { id, plan_type_name, used_bytes } of await storageOfSites(db, siteIds))
      localHost?.setRoom(id, PLANS[plan_type_name].storage_bytes - used_bytes + MARGIN_BYTES);
  };
  const failed = (error: unknown) => log.warn({ err: error }, 'could not say how much a site may grow');
  const measure = async (siteId: string, site: Growing) => {
    const startedAt = performance.now();
    site.grownBytes = 0;
    await measureSite(services, siteId);
    await tellRooms([siteId]);
    site.restsUntil = performance.now() + (performance.now() - startedAt) / MEASURE_SHARE;
  };
  localHost?.listen({
    grew({ id }, bytes) {
      if (bytes === 0) return void tellRooms([id]).catch(failed);
      const site = growing.get(id) ?? { grownBytes: 0, measuring: undefined, restsUntil: 0 };
      growing.set(id, site);
      site.grownBytes += bytes;
      if (site.grownBytes < MEASURE_BYTES || site.measuring || performance.now() < site.restsUntil) return;
      site.measuring = measure(id, site)
        .catch(failed)
        .finally(() => {
          site.measuring = undefined;
        });
    },
  });
  const timer = setInterval(() => {
    for (const [id, { measuring, grownBytes }] of growing) if (!measuring && grownBytes === 0) growing.delete(id);
    tellRooms(localHost?.awakeSites() ?? []).catch(failed);
  }, AGAIN_MS);
  return async () => {
    clearInterval(timer);
    await Promise.all([...growing.values()].map(({ measuring }) => measuring));
  };
}
