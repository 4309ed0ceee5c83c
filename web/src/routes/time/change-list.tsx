import type { ReactNode } from 'react';
import type { Place } from '../../api/sites.ts';
import { Disclosure, DisclosureGroup } from '../../ui/disclosure.tsx';
import { formatAmount, formatBytes, formatCount } from '../../ui/format.ts';
import type { FileChange, TableChange } from './changes.ts';
import { FileComparison } from './file-comparison.tsx';
import { TableComparison } from './table-comparison.tsx';

const kinds = {
  added: { label: 'Restored', tone: 'accent' },
  restored: { label: 'Reverted', tone: 'warn' },
  deleted: { label: 'Deleted', tone: 'danger' },
  failed: { label: 'Cannot be restored', tone: 'danger' },
} as const;

type ChangeListProps = {
  place: Place;
  /** How many change in all, with those that are not loaded yet. */
  total: { tables: number; files: number };
  tables: TableChange[];
  files: FileChange[];
  /** What loads the next ones, where there are any. */
  more: ReactNode;
};

/** The tables and files that would change; each opens to show how. */
export function ChangeList({ place, total, tables, files, more }: ChangeListProps) {
  if (total.tables + total.files === 0)
    return <p className="py-6 text-center text-muted">No difference: the site is exactly as it was in this minute.</p>;
  return (
    <div className="mt-4 grid grid-cols-1 gap-4">
      {tables.length > 0 && (
        <DisclosureGroup title={formatAmount(total.tables, 'table')}>
          {tables.map((table) => (
            <Disclosure key={table.name} name={table.name} amount={rowsOf(table)} {...kinds[table.change]}>
              <TableComparison table={table} />
            </Disclosure>
          ))}
        </DisclosureGroup>
      )}
      {files.length > 0 && (
        <DisclosureGroup title={formatAmount(total.files, 'file')}>
          {files.map((file) => (
            <Disclosure key={file.key} name={file.key} amount={formatBytes(file.size)} {...kinds[file.change]}>
              <FileComparison place={place} file={file} />
            </Disclosure>
          ))}
        </DisclosureGroup>
      )}
      {more && (
        <>
          <p className="text-center text-muted text-xs">
            {formatCount(tables.length + files.length)} of {formatCount(total.tables + total.files)} changes
          </p>
          {more}
        </>
      )}
    </div>
  );
}

function rowsOf({ rows_added, rows_changed, rows_removed }: TableChange): string {
  const parts = [
    rows_added && `${formatAmount(rows_added, 'row')} restored`,
    rows_changed && `${formatCount(rows_changed)} reverted`,
    rows_removed && `${formatCount(rows_removed)} deleted`,
  ];
  return parts.filter(Boolean).join(', ');
}
