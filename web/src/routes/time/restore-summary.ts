import type { PitRestore } from '#sdk';
import { formatAmount } from '../../ui/format.ts';
import { formatMoment } from '../../ui/format-time.ts';

/** In a sentence, without what did not happen. */
export function summaryOf(restore: PitRestore): string {
  const parts = [
    [restore.num_files_added, 'file', 'restored'],
    [restore.num_files_restored, 'file', 'reverted'],
    [restore.num_files_deleted, 'file', 'deleted'],
    [restore.num_tables_restored, 'table', 'reverted'],
    [restore.num_tables_deleted, 'table', 'deleted'],
    [restore.num_tables_failed, 'table', 'could not be restored'],
  ] as const;
  const told = parts.flatMap(([count, noun, verb]) => (count ? [`${formatAmount(count, noun)} ${verb}`] : []));
  return told.length > 0 ? `${told.join(', ')}.` : 'Nothing had to be changed.';
}

/** Returns the title of a restore in the list. An undo is titled by the change that it undoes. */
export function titleOfRestore({
  undoes,
  backup_point,
  restore_point,
}: Pick<PitRestore, 'undoes' | 'backup_point' | 'restore_point'>): string {
  if (undoes === null) return `Restore to ${formatMoment(backup_point ?? restore_point)}`;
  const undone = undoes.kind === 'restore' ? 'restore' : 'publish from staging';
  return `Undo of the ${undone} at ${formatMoment(undoes.created_at)}`;
}
