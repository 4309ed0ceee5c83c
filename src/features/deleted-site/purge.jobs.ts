import { inTransaction } from '#core/db/database.ts';
import { jobKind } from '#core/jobs/jobs.ts';
import { forgetBackups } from '#features/backup/backup.ts';
import { findDeletedSite, forgetDeletedSite, takeSitesToPurge } from './deleted-site.sql.ts';

const AT_ONCE = 200;

/** Deleted sites past their seven days. What was taken and the jobs for it are one transaction, so nothing is taken and then forgotten. */
export const planPurges = jobKind<Record<string, never>>({
  name: 'site.plan_purges',
  lane: 'background',
  schedule: '29 * * * *',
  removesByAge: true,
  async run(_payload, { services: { db, jobs } }) {
    await inTransaction(db, async (tx) => {
      for (const siteId of await takeSitesToPurge(tx, AT_ONCE))
        await jobs.enqueueOnce(tx, purgeSite, { siteId }, siteId);
    });
  },
});

export const purgeSite = jobKind<{ siteId: string }>({
  name: 'site.purge',
  lane: 'upkeep',
  async run({ siteId }, { services, commit }) {
    const site = await findDeletedSite(services.db, siteId);
    if (site) {
      await services.hosts.delete(site);
      await forgetBackups(services, site);
      await services.siteLog.forget(siteId);
      await services.hosts.removeLog(site);
    }
    await commit((tx) => forgetDeletedSite(tx, siteId));
  },
});
