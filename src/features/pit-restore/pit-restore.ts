import { randomUUID } from 'node:crypto';
import { type Caller, seesSecrets } from '#core/auth/caller.ts';
import type { Db } from '#core/db/database.ts';
import { LockBusy } from '#core/db/locks.ts';
import { AppError, invalid } from '#core/errors.ts';
import { API_PREFIX, type Call } from '#core/http/operation.ts';
import { requireScope } from '#core/policy.ts';
import type { Services } from '#core/services.ts';
import { findBackupByHash, snapshotNameOf, viewpointOf } from '#features/backup/backup.ts';
import { hold, requireIdle, siteBusy } from '#features/hold/hold.ts';
import { lockNamedSite, recordSiteEvent, type SiteRow } from '#features/instance/instance.ts';
import { createPreview } from '#features/preview/preview.ts';
import { lockWorkingTeam } from '#features/team/team.ts';
import type { Difference, DifferenceList, SnapshotName } from '#timemachine/process/protocol.ts';
import { type ChosenRestore, wishOf } from './pit-restore.choose.ts';
import { restoreToPoint } from './pit-restore.jobs.ts';
import { type ChangesPaging, lastPageOf, windowFor } from './pit-restore.list.ts';
import { planNow } from './pit-restore.plan.ts';
import { type PitPreview, type PitRestore, previewFailed, rehearsalRuns } from './pit-restore.schema.ts';
import {
  findPitRestore,
  findUndone,
  insertPitRestore,
  isRehearsing,
  type PitRestoreRow,
  type Undone,
} from './pit-restore.sql.ts';
import { countersOf, listOf, signChanges, storedListOf, viewOf } from './pit-restore.view.ts';
import { finalReason, type RestoreWork } from './pit-restore.work.ts';
import { rehearseRestore } from './rehearsal.jobs.ts';

export { reportOf } from './pit-restore.progress.ts';

const PLAN_WAIT_MS = 20_000;

/** What somebody wants to see of a preview. */
interface PreviewQuery extends ChangesPaging {
  browse?: boolean;
  now_hash?: string;
}

/** What a restore would do, as far as somebody asks for it. `now` is what it was compared with, unless a part of the site is gone. */
interface Preview {
  now: SnapshotName | null;
  difference: Difference;
  list: DifferenceList;
}

/** What a restore would do to the site as it is now, or as a backup has it, for somebody who waits for the answer. */
export async function planRestore(
  services: Services,
  site: SiteRow,
  chosen: ChosenRestore,
  query: PreviewQuery,
): Promise<Preview> {
  const { db, hosts } = services;
  const [wish, window] = [wishOf(chosen), windowFor(query)];
  const now = query.now_hash === undefined ? undefined : await requireBackup(db, site.id, query.now_hash);
  if (!now) requireIdle(site);
  try {
    if (now) return { now, ...(await hosts.compare(site, await viewpointOf(db, site), now, wish, window)) };
    const { plan } = await planNow(services, site.id, wish, { waitMs: PLAN_WAIT_MS, window });
    return { ...plan, now: plan.now?.newest ?? null };
  } catch (error) {
    if (error instanceof AppError) throw error;
    if (error instanceof LockBusy) throw siteBusy({ message: 'The site is being backed up; try again in a moment.' });
    services.log.warn({ err: error, siteId: site.id }, 'a restore could not be planned');
    const message = finalReason(error);
    throw message === undefined ? previewFailed() : previewFailed({ message });
  }
}

async function requireBackup(db: Db, siteId: string, hash: string): Promise<SnapshotName> {
  const backup = await findBackupByHash(db, siteId, hash);
  if (backup) return snapshotNameOf(backup);
  const msg = 'Value error, the site has no backup with this commit_hash';
  throw invalid({ loc: ['query', 'now_hash'], msg, type: 'value_error' });
}

/** What a restore would do, without a record; with `browse` also the site as it was, to be looked at. */
export async function previewPitRestore(
  call: Call,
  { site, path }: { site: SiteRow; path: string },
  chosen: ChosenRestore,
  { now, difference, list }: Preview,
  query: PreviewQuery,
): Promise<PitPreview> {
  const created_at = new Date();
  const changes = signChanges(call.services, site.id, seesSecrets(call.caller) ? listOf(list) : storedListOf(list));
  const changes_next = nextOfPreview(call.services, path, now, query, difference.count);
  return {
    id: randomUUID(),
    site_live_id: site.of_site_id ?? site.id,
    for_stage_site: site.of_site_id !== null,
    ...choiceOf(chosen),
    git_restore_hash: chosen.backup.commit_hash,
    passed_dry_run: null,
    undo_point: now && new Date(now.timeMs),
    is_undone: false,
    undoes: null,
    ...countersOf(difference),
    failed_reason: null,
    created_at,
    finished_at: created_at,
    changes: { ...changes, is_truncated: changes_next !== null },
    changes_count: difference.count,
    changes_next,
    browse: query.browse ? await createPreview(call, site, chosen) : null,
  };
}

/** To be asked with the same body. It names what was compared with: the site may have changed by then, and the list would too. */
function nextOfPreview(
  { config }: Services,
  path: string,
  now: SnapshotName | null,
  query: PreviewQuery,
  count: number,
): string | null {
  const { page, size } = lastPageOf(query);
  if (page * size >= count) return null;
  const next = new URLSearchParams({ ...(now && { now_hash: now.hash }), page: String(page + 1), size: String(size) });
  return `${config.baseUrl}${API_PREFIX}${path}?${next}`;
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
  const undoes = isDryRun ? undefined : await findUndone(db, site.id, chosen.restorePoint);
  const activity = `${caller.fullName} ${didOf(site, chosen, undoes)}`;
  const { eventId, restoreId } = await beginRestore(db, services, site, { chosen, by: caller, activity, undoes });
  call.headers['operation-id'] = eventId;
  return viewOf((await findPitRestore(db, site.id, restoreId)) as PitRestoreRow);
}

interface BegunRestore {
  chosen: ChosenRestore;
  by: Pick<Caller, 'userId'> | null;
  activity: string;
  undoes?: Undone | undefined;
}

/** For a site that is locked and idle. */
export async function beginRestore(
  db: Db,
  { jobs }: Services,
  site: SiteRow,
  { chosen, by, activity, undoes }: BegunRestore,
): Promise<RestoreWork> {
  const { isDryRun } = chosen;
  const id = randomUUID();
  const eventId = await recordSiteEvent(db, by, site, {
    event_type: isDryRun ? 'restore.dry_run' : 'restore.started',
    activity,
    detail: { restore_point: chosen.restorePoint.toISOString(), ...(undoes && { undoes }) },
    item_id: id,
    unfinished: true,
  });
  await insertPitRestore(db, {
    id,
    site_id: site.id,
    user_id: by?.userId ?? null,
    event_id: eventId,
    commit_hash: chosen.backup.commit_hash,
    ...choiceOf(chosen),
  });
  const work = { siteId: site.id, eventId, restoreId: id };
  await jobs.enqueue(db, isDryRun ? rehearseRestore : restoreToPoint, work, site.id);
  if (!isDryRun) await hold(db, [site.id], 'restoring', eventId);
  return work;
}

/** What whoever asks for it does, in the words of an event. */
function didOf({ fqdn }: SiteRow, { isDryRun, restorePoint }: ChosenRestore, undoes: Undone | undefined): string {
  const point = restorePoint.toISOString();
  if (isDryRun) return `tried out a restore of ${fqdn} to ${point}`;
  if (undoes?.kind === 'restore') return `undid a restore of ${fqdn}, back to ${point}`;
  if (undoes) return `undid a publish of the staging site to ${fqdn}, back to ${point}`;
  return `restored ${fqdn} to ${point}`;
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
