import type { Services } from '#core/services.ts';
import { PLANS, SHARES } from '#features/plan/plan.ts';
import type { TeamStorage } from './site-upkeep.sql.ts';

/** Beyond its plan a site gets no further than this: what was just refused can be tidied up, and a plan that is full is no broken site. */
const MARGIN_BYTES = 64 * 1024 * 1024;
/** When PHP has added or deleted so much, the site is measured. */
const MEASURE_BYTES = 32 * 1024 * 1024;
/** What a preview may grow by: it is nobody's storage, and gone soon. */
const PREVIEW_BYTES = 256 * 1024 * 1024;
/** Measuring takes at most this part of the time. */
const MEASURE_SHARE = 1 / 5;
const AGAIN_MS = 60_000;

interface Growing {
  /** What the last measuring does not know yet; less than nothing where PHP deleted. */
  grownBytes: number;
  /** The same, with what was deleted counted like what was added. */
  movedBytes: number;
  measuring: Promise<void> | undefined;
  restsUntil: number;
}

/** What is known of the storage of sites: in the database, or, in the pod of a site, by asking the platform. */
interface RoomRecords {
  storageOf(siteIds: string[]): Promise<TeamStorage[]>;
  /** What the site takes up on this host is looked at and written down. */
  measure(siteId: string): Promise<void>;
}

/**
 * Says how much sites may still grow and what they may have of the machine, to the PHP that runs here: when it starts, every minute, and when it has added much. Each process
 * keeps to that by itself, however fast it writes (docs/decisions/0047).
 */
export async function watchRooms(
  { localHost, log }: Pick<Services, 'localHost' | 'log'>,
  records: RoomRecords,
): Promise<() => Promise<void>> {
  const growing = new Map<string, Growing>();
  /** They were told, and what is left of it is known where they run. */
  const previews = new Set<string>();
  const tellRooms = async (siteIds: string[]) => {
    if (siteIds.length === 0) return;
    const sites = await records.storageOf(siteIds);
    for (const { id, plan_type_name, used_bytes } of sites) {
      const unmeasured = growing.get(id)?.grownBytes ?? 0;
      const leftBytes = PLANS[plan_type_name].storage_bytes - used_bytes - unmeasured + MARGIN_BYTES;
      localHost?.setRoom(id, leftBytes, SHARES[plan_type_name]);
    }
    const known = new Set(sites.map(({ id }) => id));
    for (const id of siteIds.filter((each) => !known.has(each) && !previews.has(each))) {
      previews.add(id);
      localHost?.setRoom(id, PREVIEW_BYTES, SHARES.free);
    }
  };
  const growingSite = (id: string): Growing => {
    const site = growing.get(id) ?? { grownBytes: 0, movedBytes: 0, measuring: undefined, restsUntil: 0 };
    growing.set(id, site);
    return site;
  };
  const failed = (error: unknown) => log.warn({ err: error }, 'could not say how much a site may grow');
  const measure = async (siteId: string, site: Growing) => {
    const startedAt = performance.now();
    const { grownBytes } = site;
    site.movedBytes = 0;
    await records.measure(siteId);
    site.grownBytes -= grownBytes;
    await tellRooms([siteId]);
    site.restsUntil = performance.now() + (performance.now() - startedAt) / MEASURE_SHARE;
  };
  const measureMaybe = (id: string, site: Growing) => {
    if (site.movedBytes < MEASURE_BYTES || site.measuring || performance.now() < site.restsUntil) return;
    site.measuring = measure(id, site)
      .catch(failed)
      .finally(() => {
        site.measuring = undefined;
      });
  };
  localHost?.listen({
    grew({ id }, bytes) {
      if (bytes === 0) return void tellRooms([id]).catch(failed);
      const site = growingSite(id);
      site.grownBytes += bytes;
      site.movedBytes += Math.abs(bytes);
      measureMaybe(id, site);
    },
  });
  const timer = setInterval(() => {
    const awake = localHost?.awakeSites() ?? [];
    for (const [id, site] of growing) {
      if (!site.measuring && site.movedBytes === 0) growing.delete(id);
      else measureMaybe(id, site);
    }
    for (const id of previews) if (!awake.includes(id)) previews.delete(id);
    tellRooms(awake).catch(failed);
  }, AGAIN_MS);
  return async () => {
    clearInterval(timer);
    await Promise.all([...growing.values()].map(({ measuring }) => measuring));
  };
}
