import type { Db } from '#core/db/database.ts';
import { finishEvent } from '#core/events/events.ts';
import type { Services } from '#core/services.ts';
import { findBackupByHash, snapshotNameOf } from '#features/backup/backup.ts';
import type { HeldWork } from '#features/hold/hold.ts';
import { type FailureCode, TimeMachineFailure } from '#timemachine/failure.ts';
import type { ListDifference, RestoreWish } from '#timemachine/process/protocol.ts';
import { CHUNK } from './pit-restore.list.ts';
import {
  deleteChanges,
  deleteUnseenChanges,
  findPitRestore,
  insertChanges,
  type PitRestoreRow,
  updatePitRestore,
} from './pit-restore.sql.ts';
import { storedListOf } from './pit-restore.view.ts';

/** What a restore and its rehearsal share. */
export interface RestoreWork extends HeldWork {
  restoreId: string;
}

/** A backup that runs is waited for: it takes seconds, and minutes only for the first one of a big site. */
export const WAIT_MS = 5 * 60_000;

/** What is wrong with the backup itself, or with what is asked, stays wrong however often it is tried. */
const FINAL: Partial<Record<FailureCode, string | ((message: string) => string)>> = {
  corrupt_object: 'The backup could not be read.',
  missing_object: 'The backup is no longer kept.',
  unreadable_database: "The site's database can not be read, so it has to be restored too.",
  lost_content: "The site's files are gone, so they have to be restored too.",
  unusable_point: 'The backup has no WordPress database in it; choose another restore point.',
  no_room: (message) => `There is not enough room for it: ${message}`,
};

/** Why there is no use in another attempt; undefined where there is. */
export function finalReason(error: unknown): string | undefined {
  if (!(error instanceof TimeMachineFailure)) return undefined;
  const reason = FINAL[error.code];
  return typeof reason === 'function' ? reason(error.message) : reason;
}

export async function wishOfRecord({ db }: Services, record: PitRestoreRow): Promise<RestoreWish> {
  const { db_restore_hash: hash } = record;
  const database = hash === null ? undefined : await findBackupByHash(db, record.site_id, hash);
  if (hash !== null && !database) throw new TimeMachineFailure('missing_object', `the backup ${hash} is gone`);
  return {
    point: { hash: record.commit_hash, timeMs: record.backup_point.getTime() },
    ...(database && { tablesPoint: snapshotNameOf(database) }),
    files: record.restore_cms_content,
    tables: record.restore_db,
    deleteExtraFiles: record.delete_extra_files,
  };
}

/** Writes down every change that is planned. Nobody sees the list until the record says how long it is. */
export async function keepChanges(db: Db, restoreId: string, count: number, list: ListDifference): Promise<void> {
  await deleteChanges(db, restoreId);
  for (let offset = 0; offset < count; offset += CHUNK)
    await insertChanges(db, restoreId, offset / CHUNK, storedListOf(await list({ offset, limit: CHUNK })));
}

/** The record and its event end together, and say the same. */
export async function endWell(db: Db, { siteId, restoreId, eventId }: RestoreWork, more: object): Promise<void> {
  await updatePitRestore(db, restoreId, { ...more, finished_at: new Date() });
  const done = await findPitRestore(db, siteId, restoreId);
  await finishEvent(db, eventId, { result: done && resultOf(done) });
}

export async function endBadly(db: Db, { restoreId, eventId }: RestoreWork, reason: string, more: object = {}) {
  await updatePitRestore(db, restoreId, { ...more, finished_at: new Date(), failed_reason: reason });
  await deleteUnseenChanges(db, restoreId);
  await finishEvent(db, eventId, { failure: reason });
}

function resultOf(record: PitRestoreRow): Record<string, unknown> {
  const counters = Object.entries(record).filter(([name]) => name.startsWith('num_'));
  return { ...Object.fromEntries(counters), backup_point: record.backup_point, undo_point: record.undo_point };
}
