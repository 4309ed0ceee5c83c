import { inTransaction } from '#core/db/database.ts';
import type { Services } from '#core/services.ts';
import { databaseTime, keptAs } from '#features/backup/backup.ts';
import { recordCut } from '#features/backup-clock/backup-clock.ts';
import { aloneOnSite, requireIdle } from '#features/hold/hold.ts';
import { siteNotFound } from '#features/instance/instance.schema.ts';
import { findSiteById } from '#features/instance/instance.ts';
import type { KeptAs } from '#host/site-host.ts';
import type { CallOptions } from '#timemachine/process/helper-process.ts';
import type { CutReport, DifferenceList, PlanReport, RestoreWish, Window } from '#timemachine/process/protocol.ts';

const NOTHING: Window = { offset: 0, limit: 0 };

/**
 * Compares the site as it is now with what is wished for. The site is kept as it is on the way, which is written down; nothing
 * else is changed. What is left of a site of which a part is gone is compared, and not kept. Of what differs so much is listed as `window` says. LockBusy where somebody else is at the site for longer than `waitMs`.
 */
export function planNow(
  services: Services,
  siteId: string,
  wish: RestoreWish,
  { waitMs, window = NOTHING, ...options }: { waitMs: number; window?: Window } & CallOptions,
): Promise<{ plan: PlanReport<CutReport | null> & { list: DifferenceList }; kept: KeptAs }> {
  const { db, hosts } = services;
  return aloneOnSite(services, siteId, waitMs, async (signal) => {
    // After the wait: a site that some work has by now may be half done.
    const site = await findSiteById(db, siteId);
    if (!site) throw siteNotFound();
    requireIdle(site);
    const begunAt = await databaseTime(db);
    const kept = await keptAs(services, site);
    const plan = await hosts.plan(site, kept, wish, window, { ...options, signal });
    const { now } = plan;
    if (now) await inTransaction(db, (tx) => recordCut(tx, site, now, begunAt));
    return { plan, kept };
  });
}
