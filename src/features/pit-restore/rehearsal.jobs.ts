import { jobKind } from '#core/jobs/jobs.ts';
import { findSiteById } from '#features/instance/instance.ts';
import { planNow } from './pit-restore.plan.ts';
import { reportOf } from './pit-restore.progress.ts';
import { findPitRestore } from './pit-restore.sql.ts';
import { countersOf } from './pit-restore.view.ts';
import {
  endBadly,
  endWell,
  finalReason,
  keepChanges,
  type RestoreWork,
  WAIT_MS,
  wishOfRecord,
} from './pit-restore.work.ts';

/** A dry run: everything is read, verified and applied to a copy. The site itself goes on as if nothing were. */
export const rehearseRestore = jobKind<RestoreWork>({
  name: 'site.rehearse_restore',
  lane: 'upkeep',
  async run(payload, { services, commit }) {
    const { siteId, eventId, restoreId } = payload;
    const { db, hosts, log } = services;
    const record = await findPitRestore(db, siteId, restoreId);
    const site = await findSiteById(db, siteId);
    if (!record || !site) return commit((tx) => fail(tx, payload, 'The site is gone.'));
    const onProgress = reportOf(db, eventId);
    try {
      const wish = await wishOfRecord(services, record);
      const { plan, kept } = await planNow(services, siteId, wish, { waitMs: WAIT_MS, onProgress });
      const { difference } = plan;
      await hosts.rehearse(site, kept, wish, plan.now?.newest ?? null, restoreId, {
        onProgress,
        onPlanned: (_, list) => keepChanges(db, restoreId, difference.count, list),
      });
      const outcome = { ...countersOf(difference), changes_count: difference.count, passed_dry_run: true };
      await commit((tx) => endWell(tx, payload, outcome));
    } catch (error) {
      const reason = finalReason(error);
      if (reason === undefined) throw error;
      log.error({ err: error, siteId, restoreId }, 'a rehearsal is not possible');
      await commit((tx) => fail(tx, payload, reason));
    }
  },
  async undo({ siteId, restoreId }, services) {
    const site = await findSiteById(services.db, siteId);
    if (site) await services.hosts.discardRehearsal(site, restoreId);
  },
  abandon: (tx, payload) => fail(tx, payload, 'The dry run could not be finished.'),
});

const fail = (db: Parameters<typeof endBadly>[0], payload: RestoreWork, reason: string) =>
  endBadly(db, payload, reason, { passed_dry_run: false });
