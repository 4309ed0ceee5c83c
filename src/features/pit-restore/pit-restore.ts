import { randomUUID } from 'node:crypto';
import { seesSecrets } from '#core/auth/caller.ts';
import { LockBusy } from '#core/db/locks.ts';
import { AppError } from '#core/errors.ts';
import type { Call } from '#core/http/operation.ts';
import { requireScope } from '#core/policy.ts';
import type { Services } from '#core/services.ts';
import { createPreview } from '#features/preview/preview.ts';
import {
  lockNamedSite,
  lockWorkingTeam,
  recordSiteEvent,
  requireIdle,
  type SiteRow,
  siteBusy,
  updateSite,
} from '#features/site/site.ts';
import type { PlanReport } from '#timemachine/process/protocol.ts';
import { type ChosenRestore, wishOf } from './pit-restore.choose.ts';
import { restoreToPoint } from './pit-restore.jobs.ts';
import { planNow } from './pit-restore.plan.ts';
import { type PitPreview, type PitRestore, previewFailed, rehearsalRuns } from './pit-restore.schema.ts';
import { findPitRestore, insertPitRestore, isRehearsing, type PitRestoreRow } from './pit-restore.sql.ts';
import { changesOf, countersOf, signChanges, storedChangesOf, viewOf } from './pit-restore.view.ts';
import { finalReason } from './pit-restore.work.ts';
import { rehearseRestore } from './rehearsal.jobs.ts';

const PLAN_WAIT_MS = 20_000;

/** What a restore would do to the site as it is now, for somebody who waits for the answer. */
export async function planRestore(services: Services, site: SiteRow, chosen: ChosenRestore): Promise<PlanReport> {
  requireIdle(site);
  try {
    return (await planNow(services, site.id, wishOf(chosen), { waitMs: PLAN_WAIT_MS })).plan;
  } catch (error) {
    if (error instanceof AppError) throw error;
    if (error instanceof LockBusy) throw siteBusy({ message: 'The site is being backed up; try again in a moment.' });
    services.log.warn({ err: error, siteId: site.id }, 'a restore could not be planned');
    const message = finalReason(error);
    throw message === undefined ? previewFailed() : previewFailed({ message });
  }
}

/** What a restore would do, without a record; with `browse` also the site as it was, to be looked at. */
export async function previewPitRestore(
  call: Call,
  site: SiteRow,
  chosen: ChosenRestore,
  { now, difference }: PlanReport,
  browse: boolean,
): Promise<PitPreview> {
  const created_at = new Date();
  return {
    id: randomUUID(),
    site_live_id: site.id,
    ...choiceOf(chosen),
    git_restore_hash: chosen.backup.commit_hash,
    passed_dry_run: null,
    undo_point: new Date(now.newest.timeMs),
    ...countersOf(difference),
    failed_reason: null,
    created_at,
    finished_at: created_at,
    changes: signChanges(
      call.services,
      site.id,
      seesSecrets(call.caller) ? changesOf(difference) : storedChangesOf(difference),
    ),
    browse: browse ? await createPreview(call, site, chosen) : null,
  };
}

/** Writes the record, its event and the job; a real restore has the site to itself from now on. */
export async function createPitRestore(call: Call, named: SiteRow, chosen: ChosenRestore): Promise<PitRestore> {
  const { db, services, caller } = call;
  const { isDryRun } = chosen;
  if (!isDryRun) requireScope(caller, 'write');
  await lockWorkingTeam(db, named.team_id);
  const site = await lockNamedSite(db, named);
  requireIdle(site);
  if (isDryRun && (await isRehearsing(db, site.id))) throw rehearsalRuns();
  const id = randomUUID();
  const point = chosen.restorePoint.toISOString();
  const eventId = await recordSiteEvent(db, caller, site, {
    event_type: isDryRun ? 'restore.dry_run' : 'restore.started',
    activity: isDryRun
      ? `${caller.fullName} tried out a restore of ${site.fqdn} to ${point}`
      : `${caller.fullName} restored ${site.fqdn} to ${point}`,
    detail: { restore_point: point },
    item_id: id,
    unfinished: true,
  });
  await insertPitRestore(db, {
    id,
    site_id: site.id,
    user_id: caller.userId,
    event_id: eventId,
    commit_hash: chosen.backup.commit_hash,
    ...choiceOf(chosen),
  });
  const work = { siteId: site.id, eventId, restoreId: id };
  await services.jobs.enqueue(db, isDryRun ? rehearseRestore : restoreToPoint, work, site.id);
  if (!isDryRun) await updateSite(db, site.id, { busy: 'restoring', busy_event_id: eventId });
  call.headers['operation-id'] = eventId;
  return viewOf((await findPitRestore(db, site.id, id)) as PitRestoreRow);
}

function choiceOf(chosen: ChosenRestore) {
  return {
    restore_point: chosen.restorePoint,
    backup_point: chosen.backup.created_at,
    db_restore_hash: chosen.databaseBackup?.commit_hash ?? null,
    restore_db: chosen.restoreDb,
    restore_cms_content: chosen.restoreContent,
    delete_extra_files: chosen.deleteExtraFiles,
    is_dry_run: chosen.isDryRun,
  };
}
