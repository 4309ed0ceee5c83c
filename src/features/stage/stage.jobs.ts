import { finishEvent, reportProgress } from '#core/events/events.ts';
import { jobKind } from '#core/jobs/jobs.ts';
import type { Services } from '#core/services.ts';
import { forgetBackups, spaceOf, startClock } from '#features/backup/backup.ts';
import { cutHeld, cutNow } from '#features/backup-clock/backup-clock.ts';
import { finishCreation } from '#features/git-sync/git-sync.ts';
import { aloneOnSite, type HeldWork, onHeldSite, release } from '#features/hold/hold.ts';
import {
  deleteSite,
  deleteUsage,
  findOwn,
  findSiteById,
  keepNumbersApart,
  lockSite,
  nothing,
  removeFilesSoon,
  type SiteRow,
  specOf,
  updateSite,
  withKeptVersion,
} from '#features/instance/instance.ts';
import { addStorage, lockTeam } from '#features/team/team.ts';
import type { HostedSpec, SiteRef } from '#host/site-host.ts';
import { failedBy } from '#timemachine/failure.ts';
import type { SnapshotName } from '#timemachine/process/protocol.ts';
import { addBases, findBases, findOrigin, forgetBases, setOrigin } from './stage.sql.ts';
import type { Pair } from './stage.wish.ts';

interface NewStageWork extends HeldWork {
  liveId: string;
  /** The stage is there and is made anew of the live site as it is now. */
  isRefresh?: boolean;
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
    const spec = specOf(services, await withKeptVersion(services, stage));
    const { base, begun } = await (payload.isRefresh
      ? onHeldSite(services, payload, async (signal) => {
          await keepLast(services, stage, signal);
          return fill(services, spec, { live, stage }, await cutNow(services, liveId, WAIT_MS), signal);
        })
      : aloneOnSite(services, siteId, WAIT_MS, async (signal) => {
          // Where nobody named a point, it is the site as it is when the work first begins.
          const moment = (await findOrigin(db, siteId)) ?? (await beginNow(services, live, siteId));
          return fill(services, spec, { live, stage }, moment, signal);
        }));
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
      await addStorage(tx, stage.team_id, storageBytes - stage.storage_bytes);
      await forgetBases(tx, siteId);
      await addBases(tx, siteId, { live: base, liveFqdn: live.fqdn, stage: begun });
      const result = { url: spec.url, base_point: new Date(base.timeMs) };
      await finishCreation(tx, services, stage, eventId, result);
    });
  },
  async undo(payload, services) {
    const stage = await findOwn(services, payload);
    // One that was there before stays, as it was or as it was to be.
    if (!stage || payload.isRefresh) return;
    await services.hosts.delete(stage);
    await forgetBackups(services, stage);
  },
  async abandon(tx, payload) {
    const { siteId, liveId, eventId, isRefresh } = payload;
    const live = await findSiteById(tx, liveId);
    if (live) await lockTeam(tx, live.team_id);
    await lockSite(tx, liveId);
    if ((await release(tx, payload)) && !isRefresh) await deleteSite(tx, siteId);
    await release(tx, { ...payload, siteId: liveId });
    const failure = isRefresh ? 'The staging site could not be made anew.' : NOT_MADE;
    await finishEvent(tx, eventId, { failure });
  },
});

const NOT_MADE = 'The staging site could not be made. Nothing is left of the attempt.';

/** Makes the stage of a backup of the live site, and says what both go on from. */
async function fill(
  services: Services,
  spec: HostedSpec,
  { live, stage }: Pair,
  base: SnapshotName,
  signal: AbortSignal,
): Promise<{ base: SnapshotName; begun: SnapshotName }> {
  const { db, hosts } = services;
  const space = await spaceOf(db, live.id);
  await hosts.make(spec, { kind: 'cut', space, site: live.id, moment: base });
  await keepNumbersApart(services, live, stage);
  // In the same space, for it is read by whoever reads the live site's.
  await startClock(db, stage.id, space);
  return { base, begun: await cutHeld(services, stage, signal) };
}

/** A backup of the live site, which the stage begins with. */
async function beginNow(services: Services, live: SiteRow, stageId: string): Promise<SnapshotName> {
  const moment = await cutNow(services, live.id, WAIT_MS);
  await setOrigin(services.db, stageId, moment);
  return moment;
}

/**
 * What is in a stage that is made anew can be brought back. Once it is known, nothing is compared with it any more, and an attempt
 * after a kill may find nothing of it. A database that can not be read may be the very reason.
 */
async function keepLast(services: Services, stage: SiteRow, signal: AbortSignal): Promise<void> {
  if (!(await findBases(services.db, stage.id))) return;
  await cutHeld(services, stage, signal).catch((error) => {
    if (!failedBy(error, 'unreadable_database')) throw error;
  });
  await forgetBases(services.db, stage.id);
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
