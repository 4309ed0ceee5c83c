import { inTransaction } from '#core/db/database.ts';
import { finishEvent, reportProgress } from '#core/events/events.ts';
import { jobKind } from '#core/jobs/jobs.ts';
import type { Services } from '#core/services.ts';
import { databaseTime, forgetBackups, keptAs, spaceOf, startClock } from '#features/backup/backup.ts';
import { recordCut } from '#features/backup-clock/backup-clock.ts';
import { startFirstSync } from '#features/git-sync/git-sync.ts';
import { aloneOnSite, type HeldWork, release } from '#features/hold/hold.ts';
import {
  deleteSite,
  deleteUsage,
  findOwn,
  findSiteById,
  lockSite,
  nothing,
  removeFilesSoon,
  type SiteRow,
  specOf,
  updateSite,
  withKeptVersion,
} from '#features/instance/instance.ts';
import { addStorage, lockTeam } from '#features/team/team.ts';
import type { SiteRef } from '#host/site-host.ts';
import type { SnapshotName } from '#timemachine/process/protocol.ts';
import { findBase, setBase } from './stage.sql.ts';

interface NewStageWork extends HeldWork {
  liveId: string;
}

/** A backup that runs is waited for: it takes seconds, and minutes only for the first one of a big site. */
const WAIT_MS = 5 * 60_000;

export const buildStage = jobKind<NewStageWork>({
  name: 'stage.build',
  lane: 'site',
  async run(payload, { services, commit }) {
    const { siteId, liveId, eventId } = payload;
    const { db, hosts } = services;
    const [stage, live] = [await findOwn(services, payload), await findOwn(services, { ...payload, siteId: liveId })];
    if (!stage || !live) return commit(nothing);
    await reportProgress(db, eventId, { step: 'copying the site' });
    // Where nobody named a point, it is the site as it is when the work first begins.
    const moment = (await findBase(db, siteId)) ?? (await cutNow(services, live, siteId));
    const spec = specOf(services, await withKeptVersion(services, stage));
    await hosts.make(spec, { kind: 'cut', space: await spaceOf(db, liveId), site: liveId, moment });
    await hosts.warmUp(spec);
    const storageBytes = await hosts.diskUsageBytes(stage);
    await commit(async (tx) => {
      await lockTeam(tx, live.team_id);
      await lockSite(tx, liveId);
      const isOurs = await release(tx, payload);
      await release(tx, { ...payload, siteId: liveId });
      if (!isOurs) return removeFilesSoon(tx, spec);
      const measured = { storage_bytes: storageBytes, storage_measured_at: new Date() };
      await updateSite(tx, siteId, { core_version: spec.coreVersion, ...measured });
      await addStorage(tx, stage.team_id, storageBytes);
      await startClock(tx, siteId, stage.team_id);
      await finishEvent(tx, eventId, { result: { url: spec.url, base_point: new Date(moment.timeMs) } });
      await startFirstSync(tx, services, stage);
    });
  },
  async undo(payload, services) {
    const stage = await findOwn(services, payload);
    if (stage) await services.hosts.delete(stage);
  },
  async abandon(tx, payload) {
    const { siteId, liveId, eventId } = payload;
    const live = await findSiteById(tx, liveId);
    if (live) await lockTeam(tx, live.team_id);
    await lockSite(tx, liveId);
    if (await release(tx, payload)) await deleteSite(tx, siteId);
    await release(tx, { ...payload, siteId: liveId });
    await finishEvent(tx, eventId, { failure: 'The staging site could not be made. Nothing is left of the attempt.' });
  },
});

/** A backup of the site as it is, recorded like every other, and as the one that the stage begins with. */
function cutNow(services: Services, site: SiteRow, stageId: string): Promise<SnapshotName> {
  const { db, hosts } = services;
  return aloneOnSite(services, site.id, WAIT_MS, async (signal) => {
    const begunAt = await databaseTime(db);
    const cut = await hosts.snapshot(site, await keptAs(services, site), { signal });
    const { hash, timeMs } = cut.newest;
    await inTransaction(db, async (tx) => {
      await recordCut(tx, site, cut, begunAt);
      await setBase(tx, stageId, { hash, timeMs });
    });
    return { hash, timeMs };
  });
}

/** What a stage leaves when it is gone: its files, its backups and its log. */
export const forgetStage = jobKind<SiteRef>({
  name: 'stage.forget',
  lane: 'upkeep',
  async run(stage, { services, commit }) {
    if (await findSiteById(services.db, stage.id)) return commit(nothing);
    await aloneOnSite(services, stage.id, WAIT_MS, async () => {
      await services.hosts.delete(stage);
      await forgetBackups(services, stage);
    });
    await services.siteLog.forget(stage.id);
    await services.hosts.removeLog(stage);
    await commit((tx) => deleteUsage(tx, stage.id));
  },
});
