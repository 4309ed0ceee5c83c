type Row = Record<string, unknown> | null;

type RowComparisonProps = {
  /** What the row is called; where it has a title of its own, that comes with it. */
  name: string;
  left: { label: string; row: Row };
  right: { label: string; row: Row };
};

const cell = 'px-2 py-1.5 align-top whitespace-pre-wrap';

/** Two states of a row, with the columns that differ. */
export function RowComparison({ name, left, right }: RowComparisonProps) {
  const columns = Object.keys(right.row ?? left.row ?? {}).filter(
    (column) => textOf(left.row?.[column]) !== textOf(right.row?.[column]),
  );
  const title = `${name}${titleOf(left.row, right.row)}`;
  return (
    <table aria-label={title} className="w-full table-fixed border-collapse text-left text-xs">
      <thead>
        <tr className="border-line border-b text-muted">
          <th scope="col" className="w-24 px-2 py-1.5 font-medium sm:w-44">
            {title}
          </th>
          {[left, right].map(({ label, row }) => (
            <th key={label} scope="col" className="px-2 py-1.5 font-medium">
              {label}
              {row === null && ': not there'}
            </th>
          ))}
        </tr>
      </thead>
      <tbody className="divide-y divide-line">
        {columns.map((column) => (
          <tr key={column}>
            <th scope="row" className={`${cell} font-normal text-muted`}>
              {column}
            </th>
            <td className={`${cell} ${left.row ? 'text-danger-text' : ''}`}>{shorten(textOf(left.row?.[column]))}</td>
            <td className={`${cell} ${right.row ? 'text-accent-text' : ''}`}>{shorten(textOf(right.row?.[column]))}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const titles = /name|title|key|slug|login|email/;

/** What people know a row by, where it has something like that and it did not change. */
function titleOf(left: Row, right: Row): string {
  const found = Object.entries(right ?? left ?? {}).find(
    ([column, value]) =>
      titles.test(column) && value !== '' && (!left || !right || textOf(left[column]) === textOf(value)),
  );
  return found ? ` · ${shorten(textOf(found[1]))}` : '';
}

export function textOf(value: unknown): string {
  if (value === undefined) return '';
  if (typeof value === 'string') return value;
  return JSON.stringify(value);
}

const longest = 400;

function shorten(text: string): string {
  return text.length > longest ? `${text.slice(0, longest)} …` : text;
}
