import { type ReactNode, useId, useState } from 'react';
import { Badge } from '../../ui/badge.tsx';
import { cx } from '../../ui/cx.ts';
import { formatAmount, formatBytes, formatCount } from '../../ui/format.ts';
import { ChevronDownIcon } from '../../ui/icons.ts';
import type { FileChange, TableChange } from './changes.ts';
import { FileComparison } from './file-comparison.tsx';
import { TableComparison } from './table-comparison.tsx';

const kinds = {
  added: { label: 'Comes back', tone: 'accent' },
  restored: { label: 'Changes', tone: 'warn' },
  deleted: { label: 'Goes', tone: 'danger' },
  failed: { label: 'Not possible', tone: 'danger' },
} as const;

type ChangeListProps = {
  fqdn: string;
  /** How many change in all, with those that are not loaded yet. */
  total: { tables: number; files: number };
  tables: TableChange[];
  files: FileChange[];
  /** What loads the next ones, where there are any. */
  more: ReactNode;
};

/** The tables and files that would change; each opens to show how. */
export function ChangeList({ fqdn, total, tables, files, more }: ChangeListProps) {
  if (total.tables + total.files === 0)
    return <p className="py-6 text-center text-muted">Nothing: the site is just as it was in this minute.</p>;
  return (
    <div className="mt-4 grid grid-cols-1 gap-4">
      {tables.length > 0 && (
        <Group title={formatAmount(total.tables, 'table')}>
          {tables.map((table) => (
            <Change key={table.name} name={table.name} kind={table.change} amount={rowsOf(table)}>
              <TableComparison table={table} />
            </Change>
          ))}
        </Group>
      )}
      {files.length > 0 && (
        <Group title={formatAmount(total.files, 'file')}>
          {files.map((file) => (
            <Change key={file.key} name={file.key} kind={file.change} amount={formatBytes(file.size)}>
              <FileComparison fqdn={fqdn} file={file} />
            </Change>
          ))}
        </Group>
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
    rows_added && `${formatAmount(rows_added, 'row')} back`,
    rows_changed && `${formatCount(rows_changed)} changed`,
    rows_removed && `${formatCount(rows_removed)} gone`,
  ];
  return parts.filter(Boolean).join(', ');
}

function Group({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="min-w-0 overflow-hidden rounded-lg border border-line">
      <h4 className="border-line border-b bg-raised/60 px-4 py-2 font-medium text-muted text-xs">{title}</h4>
      <ul className="divide-y divide-line">{children}</ul>
    </section>
  );
}

type ChangeProps = { name: string; kind: keyof typeof kinds; amount: string; children: ReactNode };

function Change({ name, kind, amount, children }: ChangeProps) {
  const [open, setOpen] = useState(false);
  const panel = useId();
  const { label, tone } = kinds[kind];
  return (
    <li>
      <button
        type="button"
        aria-expanded={open}
        aria-controls={open ? panel : undefined}
        onClick={() => setOpen(!open)}
        className="flex w-full items-center gap-3 px-4 py-2.5 text-left hover:bg-raised/60 focus-visible:-outline-offset-2"
      >
        <ChevronDownIcon className={cx('text-muted', !open && '-rotate-90')} />
        <span className="min-w-0 flex-1 font-mono text-xs">{name}</span>
        <span className="text-right text-muted text-xs tabular-nums max-sm:sr-only">{amount}</span>
        <Badge tone={tone}>{label}</Badge>
      </button>
      {open && (
        <div id={panel} className="min-w-0 border-line border-t bg-bg/60 p-4">
          {children}
        </div>
      )}
    </li>
  );
}
