import type { PitRestore } from '#sdk';
import { formatAmount } from '../../ui/format.ts';

/** In a sentence, without what did not happen. */
export function summaryOf(restore: PitRestore): string {
  const parts = [
    [restore.num_files_added, 'file', 'came back'],
    [restore.num_files_restored, 'file', 'changed back'],
    [restore.num_files_deleted, 'file', 'went'],
    [restore.num_tables_restored, 'table', 'changed back'],
    [restore.num_tables_deleted, 'table', 'went'],
    [restore.num_tables_failed, 'table', 'could not be restored'],
  ] as const;
  const told = parts.flatMap(([count, noun, verb]) => (count ? [`${formatAmount(count, noun)} ${verb}`] : []));
  return told.length > 0 ? `${told.join(', ')}.` : 'Nothing had to be changed.';
}
