import { type Db, inTransaction } from '#core/db/database.ts';
import { finishEvent, reportProgress } from '#core/events/events.ts';
import { jobKind } from '#core/jobs/jobs.ts';
import type { Services } from '#core/services.ts';
import { databaseTime, keptAs } from '#features/backup/backup.ts';
import { cutHeld, recordCut } from '#features/backup-clock/backup-clock.ts';
import { type HeldWork, onHeldSite, release } from '#features/hold/hold.ts';
import {
  announcePurge,
  findOwn,
  keepNumbersApart,
  nothing,
  type SiteRow,
  updateSite,
} from '#features/instance/instance.ts';
import { reportOf } from '#features/pit-restore/pit-restore.ts';
import { type FailureCode, failedBy, TimeMachineFailure } from '#timemachine/failure.ts';
import type { Difference, SnapshotName } from '#timemachine/process/protocol.ts';
import type { CommitStage } from './stage.schema.ts';
import { addBases, findBases, findUndo, forgetBases, setUndo } from './stage.sql.ts';
import { type Pair, wishOf } from './stage.wish.ts';

interface CommitWork extends HeldWork {
  stageId: string;
  choice: CommitStage;
}

const PLANS = 3;

/** What stays as it is however often it is tried. */
const FINAL: Partial<Record<FailureCode, string>> = {
  corrupt_object: 'The backup that the staging site was made from could not be read.',
  missing_object: 'The backup that the staging site was made from is no longer kept.',
  unreadable_database: "A site's database can not be read.",
  moved_on: 'The site or its staging site has changed since they were compared.',
};

/**
 * Takes what the stage has changed to the live site. Visitors of both wait from the moment that they are busy. A job that was killed
 * finishes what it had begun before anything is served.
 */
export const carryToLive = jobKind<CommitWork>({
  name: 'stage.commit',
  lane: 'site',
  async run(payload, { services, commit }) {
    const { siteId, stageId, eventId } = payload;
    const ofStage = { siteId: stageId, eventId };
    const [live, stage] = [await findOwn(services, payload), await findOwn(services, ofStage)];
    if (!live || !stage) return commit(nothing);
    const alone = <T>(act: (signal: AbortSignal) => Promise<T>) =>
      onHeldSite(services, ofStage, (one) =>
        onHeldSite(services, payload, (other) => act(AbortSignal.any([one, other]))),
      );
    try {
      const done = await alone((signal) => carry(services, { live, stage }, payload, signal));
      await commit(async (tx) => {
        await announcePurge(tx, siteId);
        await release(tx, ofStage);
        if (!(await release(tx, payload))) return;
        for (const id of [siteId, stageId]) await updateSite(tx, id, { storage_is_stale: true });
        await setUndo(tx, stageId, null);
        // Without it the next commit asks for a refresh first.
        if (done.stage) await addBases(tx, stageId, { live: done.live, liveFqdn: live.fqdn, stage: done.stage });
        else await forgetBases(tx, stageId);
        await finishEvent(tx, eventId, { result: { undo_point: new Date(done.undo.timeMs) } });
      });
    } catch (error) {
      const refusal = refusalOf(error);
      if (!refusal) throw error;
      services.log.warn({ err: error, siteId, stageId }, 'a stage is not committed');
      // It may have been done all the same: then the next attempt writes that down.
      if (await alone((signal) => doneBefore(services, { live, stage }, signal))) throw error;
      await commit((tx) => giveUp(tx, payload, refusal));
    }
  },
  async undo(payload, services) {
    const live = await findOwn(services, payload);
    if (live) await onHeldSite(services, payload, () => recover(services, live));
  },
  async abandon(tx, payload, _error, undone) {
    if (undone)
      return giveUp(tx, payload, { failure: 'The commit failed. The live site is whole: as before, or as after it.' });
    // What may be half done is not served, and neither has it ended: an operator mends the cause and repeats the job.
    await reportProgress(tx, payload.eventId, { problem: HALF });
  },
});

const HALF = 'The commit could not be finished. Visitors see a notice until the platform has mended it.';

async function giveUp(tx: Db, payload: CommitWork, detail: Record<string, unknown>): Promise<void> {
  const { siteId, stageId, eventId } = payload;
  await announcePurge(tx, siteId);
  await release(tx, { siteId: stageId, eventId });
  await release(tx, payload);
  const undo = await findUndo(tx, stageId);
  await setUndo(tx, stageId, null);
  await finishEvent(tx, eventId, { ...detail, ...(undo && { undo_point: new Date(undo.timeMs) }) });
}

function refusalOf(error: unknown): Record<string, unknown> | undefined {
  if (!(error instanceof TimeMachineFailure)) return undefined;
  if (error.code === 'in_conflict') return { failure: `${error.message}.`, refused: error.code };
  const failure = FINAL[error.code];
  return failure === undefined ? undefined : { failure, refused: error.code };
}

/** Ends what an earlier attempt began, in one way or the other. */
async function recover(services: Services, live: SiteRow): Promise<void> {
  await services.hosts.recover(live, await keptAs(services, live));
}

/** Both sides as they go on from here, and what brings the live site back. */
interface Carried {
  live: SnapshotName;
  /** Nothing where its database can not be read. */
  stage: SnapshotName | undefined;
  undo: SnapshotName;
}

async function carry(services: Services, pair: Pair, work: CommitWork, signal: AbortSignal): Promise<Carried> {
  const { live } = pair;
  const undo = (await doneBefore(services, pair, signal)) ?? (await merge(services, pair, work, signal));
  return {
    live: await cutHeld(services, live, signal),
    stage: await goOn(services, pair, signal).catch((error) => {
      if (!failedBy(error, 'unreadable_database')) throw error;
      return undefined;
    }),
    undo,
  };
}

async function goOn(services: Services, { live, stage }: Pair, signal: AbortSignal): Promise<SnapshotName> {
  await keepNumbersApart(services, live, stage);
  return cutHeld(services, stage, signal);
}

/** Where an earlier attempt has done it: the live site is another one than just before, and nobody else can have changed it since. */
async function doneBefore(services: Services, pair: Pair, signal: AbortSignal): Promise<SnapshotName | undefined> {
  const planned = await findUndo(services.db, pair.stage.id);
  if (!planned) return undefined;
  await recover(services, pair.live);
  const { hash } = await cutHeld(services, pair.live, signal);
  return hash === planned.hash ? undefined : planned;
}

async function merge(services: Services, pair: Pair, work: CommitWork, signal: AbortSignal): Promise<SnapshotName> {
  const { db, hosts } = services;
  const { live, stage } = pair;
  const bases = await findBases(db, stage.id);
  if (!bases) throw new TimeMachineFailure('missing_object', 'the stage has no base');
  for (let attempt = 1; ; attempt++) {
    const wish = wishOf(services, pair, bases, await cutHeld(services, stage, signal), work.choice);
    const begunAt = await databaseTime(db);
    const kept = await keptAs(services, live);
    try {
      const { now } = await hosts.restore(live, kept, wish, {
        onProgress: reportOf(db, work.eventId),
        signal,
        onPlanned: async ({ now: cut, difference }) => {
          if (!cut) throw new Error('a merge tells what the site was like before it');
          await inTransaction(db, async (tx) => {
            await recordCut(tx, live, cut, begunAt);
            await setUndo(tx, stage.id, cut.newest);
            await reportProgress(tx, work.eventId, { changes: changesOf(difference) });
          });
        },
      });
      return now.newest;
    } catch (error) {
      // Something of the site's own was still at it when it was looked at.
      if (!failedBy(error, 'outdated_plan')) throw error;
      // Nothing was changed by us, so what it is now says nothing of this work.
      await setUndo(db, stage.id, null);
      if (attempt >= PLANS) throw error;
    }
  }
}

function changesOf({ counters }: Difference) {
  return {
    files_added: counters.filesAdded,
    files_changed: counters.filesRestored,
    files_removed: counters.filesDeleted,
    tables_changed: counters.tablesRestored,
    tables_removed: counters.tablesDeleted,
  };
}
