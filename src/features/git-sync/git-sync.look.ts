import { type Db, inTransaction } from '#core/db/database.ts';
import { GitFailed } from '#core/git.ts';
import { jobKind } from '#core/jobs/jobs.ts';
import type { Services } from '#core/services.ts';
import { findSiteById, lockSite } from '#features/instance/instance.ts';
import { type SyncReason, startSync } from './git-sync.link.ts';
import { openingOf } from './git-sync.open.ts';
import { findLink, isServed, lookSoon, noteProblem, takeDueLinks } from './git-sync.sql.ts';

/** Looks by the clock at repositories whose hosts do not call. */
const AT_ONCE = 100;

export const planLooks = jobKind<Record<string, never>>({
  name: 'git.plan_looks',
  lane: 'background',
  schedule: '* * * * *',
  run: (_payload, { services }) =>
    inTransaction(services.db, async (tx) => {
      for (const siteId of await takeDueLinks(tx, AT_ONCE))
        await services.jobs.enqueueOnce(tx, lookAtRepository, { siteId }, siteId);
    }),
});

/** Asks a repository for the newest commit of the branch, and syncs where that is one which was not tried. */
export const lookAtRepository = jobKind<{ siteId: string }>({
  name: 'git.look',
  lane: 'upkeep',
  async run({ siteId }, { services }) {
    const { db, git } = services;
    const [link, site] = [await findLink(db, siteId), await findSiteById(db, siteId)];
    if (!link || !site) return;
    try {
      const { url, credential } = await openingOf(services, link);
      const branch = link.branch ?? undefined;
      const tip = await git.tip(url, { branch, credential, who: site.team_id });
      if (tip.commit !== link.tried_hash) await syncIfIdle(services, siteId, { by: null, trigger: 'look' });
    } catch (error) {
      if (!(error instanceof GitFailed)) throw error;
      await noteProblem(db, siteId, error.message);
    }
  },
});

/** Whatever has the site now is waited for: it is looked at again soon. */
export async function syncIfIdle(services: Services, siteId: string, reason: SyncReason): Promise<boolean> {
  return inTransaction(services.db, (tx) => startIfIdle(tx, services, siteId, reason));
}

async function startIfIdle(tx: Db, services: Services, siteId: string, reason: SyncReason): Promise<boolean> {
  const site = await lockSite(tx, siteId);
  if (!site || !(await findLink(tx, siteId)) || !(await isServed(tx, siteId))) return false;
  if (site.busy !== null) {
    await lookSoon(tx, siteId);
    return false;
  }
  await startSync(tx, services, site, reason);
  return true;
}
