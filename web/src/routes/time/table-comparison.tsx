import { formatCount } from '../../ui/format.ts';
import type { TableChange } from './changes.ts';

type Row = TableChange['sample'][number];

/** Some of the rows, each with the columns that differ. */
export function TableComparison({ table }: { table: TableChange }) {
  const { reason, sample } = table;
  const all = table.rows_added + table.rows_changed + table.rows_removed;
  if (reason !== null) return <p className="text-muted">{reason}</p>;
  if (sample.length === 0) return <p className="text-muted">The rows themselves are not shown.</p>;
  return (
    <div className="grid grid-cols-1 gap-4">
      {sample.map((row) => (
        <RowComparison key={JSON.stringify(row.key)} row={row} />
      ))}
      {all > sample.length && (
        <p className="text-muted text-xs">
          {formatCount(sample.length)} of {formatCount(all)} rows that differ.
        </p>
      )}
    </div>
  );
}

const cell = 'px-2 py-1.5 align-top whitespace-pre-wrap';

function RowComparison({ row: { key, now, at_point } }: { row: Row }) {
  const columns = Object.keys(at_point ?? now ?? {}).filter((name) => textOf(now?.[name]) !== textOf(at_point?.[name]));
  const name = `Row ${key.map(textOf).join(', ')}${titleOf(now, at_point)}`;
  return (
    <table aria-label={name} className="w-full table-fixed border-collapse text-left text-xs">
      <thead>
        <tr className="border-line border-b text-muted">
          <th scope="col" className="w-24 px-2 py-1.5 font-medium sm:w-44">
            {name}
          </th>
          <th scope="col" className="px-2 py-1.5 font-medium">
            Now{now === null && ': not there'}
          </th>
          <th scope="col" className="px-2 py-1.5 font-medium">
            Then{at_point === null && ': not there'}
          </th>
        </tr>
      </thead>
      <tbody className="divide-y divide-line">
        {columns.map((column) => (
          <tr key={column}>
            <th scope="row" className={`${cell} font-normal text-muted`}>
              {column}
            </th>
            <td className={`${cell} ${now ? 'text-danger-text' : ''}`}>{shorten(textOf(now?.[column]))}</td>
            <td className={`${cell} ${at_point ? 'text-accent-text' : ''}`}>{shorten(textOf(at_point?.[column]))}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const titles = /name|title|key|slug|login|email/;

/** What people know a row by, where it has something like that and it did not change. */
function titleOf(now: Row['now'], past: Row['at_point']): string {
  const found = Object.entries(past ?? now ?? {}).find(
    ([column, value]) =>
      titles.test(column) && value !== '' && (!now || !past || textOf(now[column]) === textOf(value)),
  );
  return found ? ` · ${shorten(textOf(found[1]))}` : '';
}

function textOf(value: unknown): string {
  if (value === undefined) return '';
  if (typeof value === 'string') return value;
  return JSON.stringify(value);
}

const longest = 400;

function shorten(text: string): string {
  return text.length > longest ? `${text.slice(0, longest)} …` : text;
}
