import { formatCount } from '../../ui/format.ts';
import { RowComparison, textOf } from '../../ui/row-comparison.tsx';
import type { TableChange } from './changes.ts';

/** Some of the rows, each with the columns that differ. */
export function TableComparison({ table }: { table: TableChange }) {
  const { reason, sample } = table;
  const all = table.rows_added + table.rows_changed + table.rows_removed;
  if (reason !== null) return <p className="text-muted">{reason}</p>;
  if (sample.length === 0) return <p className="text-muted">The rows themselves are not shown.</p>;
  return (
    <div className="grid grid-cols-1 gap-4">
      {sample.map((row) => (
        <RowComparison
          key={JSON.stringify(row.key)}
          name={`Row ${row.key.map(textOf).join(', ')}`}
          left={{ label: 'Now', row: row.now }}
          right={{ label: 'Then', row: row.at_point }}
        />
      ))}
      {all > sample.length && (
        <p className="text-muted text-xs">
          {formatCount(sample.length)} of {formatCount(all)} rows that differ.
        </p>
      )}
    </div>
  );
}
