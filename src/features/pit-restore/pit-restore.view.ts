import type { Services } from '#core/services.ts';
import { signVersion } from '#features/backup/backup.ts';
import type { Difference, DifferenceList } from '#timemachine/process/protocol.ts';
import type { ChangeList } from './pit-restore.list.ts';
import type { PitRestore } from './pit-restore.schema.ts';
import type { PitRestoreRow } from './pit-restore.sql.ts';

export function viewOf(row: PitRestoreRow): PitRestore {
  const { site_id, user_id: _user, event_id: _event, applied_at: _applied, commit_hash, ...rest } = row;
  const { changes_count: _count, changes_are_cut: _cut, ...record } = rest;
  return { ...record, for_stage_site: site_id !== record.site_live_id, git_restore_hash: commit_hash };
}

/** The counters of the record, from what the time machine planned. */
export function countersOf({ counters }: Difference) {
  return {
    num_files_added: counters.filesAdded,
    num_files_deleted: counters.filesDeleted,
    num_files_restored: counters.filesRestored,
    num_folders_added: counters.foldersAdded,
    num_tables_deleted: counters.tablesDeleted,
    num_tables_failed: counters.tablesFailed,
    num_tables_restored: counters.tablesRestored,
    num_tables_skipped: counters.tablesSkipped,
  };
}

/**
 * The changes as they are stored: without rows, which hold passwords' hashes and whatever else, and with the names that
 * contents have in the store.
 */
export function storedListOf(list: DifferenceList): ChangeList {
  const { tables, files } = listOf(list);
  return { files, tables: tables.map((table) => ({ ...table, sample: [] })) };
}

export function listOf({ files, tables }: DifferenceList): ChangeList {
  return {
    files: files.map(({ path, change, sizeBytes, before, after }) => {
      return { key: path, change, size: sizeBytes, version_id_now: before, version_id: after };
    }),
    tables: tables.map(({ name, change, reason, rowsAdded, rowsChanged, rowsRemoved, sample }) => ({
      name,
      change,
      reason,
      rows_added: rowsAdded,
      rows_changed: rowsChanged,
      rows_removed: rowsRemoved,
      sample: sample.map(({ key, before, after }) => ({ key, now: before, at_point: after })),
    })),
  };
}

/** As they are shown: the names of contents are good for this site alone. */
export function signChanges(services: Services, siteId: string, { tables, files }: ChangeList): ChangeList {
  const sign = (ref: string | null) => ref && signVersion(services, siteId, ref);
  const signed = files.map((file) => ({
    ...file,
    version_id_now: sign(file.version_id_now),
    version_id: sign(file.version_id),
  }));
  return { tables, files: signed };
}

/** A page of the report for people: what there is to say of the record, unless that was on a page before, then its changes. */
export function textOf(restore: PitRestore, { list, isFirst, next, isCut }: ReportPage): string {
  const lines = isFirst ? headOf(restore) : [];
  for (const { name, change, reason, ...rows } of list.tables) {
    const counted = `+${rows.rows_added} ~${rows.rows_changed} -${rows.rows_removed} rows`;
    lines.push(`  ${change.padEnd(8)}  ${oneLine(name)}  ${reason ?? counted}`);
  }
  for (const { key, change, size } of list.files) lines.push(`  ${change.padEnd(8)}  ${oneLine(key)}  ${size} bytes`);
  if (next !== null) lines.push(`  more:     ${next}`);
  else if (isCut) lines.push('  and more');
  return lines.map((line) => `${line}\n`).join('');
}

interface ReportPage {
  list: ChangeList;
  isFirst: boolean;
  next: string | null;
  isCut: boolean;
}

function headOf(restore: PitRestore): string[] {
  const time = (moment: Date | null) => moment?.toISOString() ?? '-';
  const outcome = () => {
    if (!restore.finished_at) return 'running';
    if (restore.failed_reason !== null) return `failed: ${restore.failed_reason}`;
    return restore.is_dry_run ? 'the dry run passed' : 'done';
  };
  const half = [restore.restore_cms_content && 'files', restore.restore_db && 'database'].filter(Boolean);
  return [
    `${restore.is_dry_run ? 'Dry run of a restore' : 'Restore'} ${restore.id}`,
    `Outcome:        ${outcome()}`,
    `Restore point:  ${time(restore.restore_point)}`,
    `Backup used:    ${time(restore.backup_point)} (${restore.git_restore_hash})`,
    `Undo point:     ${time(restore.undo_point)}`,
    `Restored:       ${half.join(' and ')}${restore.delete_extra_files ? ', extra files deleted' : ''}`,
    `Begun, ended:   ${time(restore.created_at)}, ${time(restore.finished_at)}`,
    `Files:          ${restore.num_files_added ?? 0} added, ${restore.num_files_restored ?? 0} restored, ${restore.num_files_deleted ?? 0} deleted; ${restore.num_folders_added ?? 0} folders added`,
    `Tables:         ${restore.num_tables_restored ?? 0} restored, ${restore.num_tables_deleted ?? 0} deleted, ${restore.num_tables_skipped ?? 0} unchanged, ${restore.num_tables_failed ?? 0} failed`,
  ];
}

/** A file's name is the site's own, and may try to look like lines of ours. */
function oneLine(name: string): string {
  return name.replaceAll(/\p{Cc}/gu, '?');
}
