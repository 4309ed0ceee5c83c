import { moveText } from '#runtimes/wordpress/address.ts';
import type { IsSameRow } from '../tables/describe-change.ts';
import { RawText, type Row, type RowValue } from '../tables/row-codec.ts';
import type { TableChange } from '../tables/table-change.ts';

/**
 * Where a site had another address then: whether two rows differ in nothing else. A restored database is moved to the address of today, so
 * such rows are none that a restore brings back. Undefined where the address is the same.
 */
export function sameButForAddress(changes: readonly TableChange[]): IsSameRow | undefined {
  const options = changes.find(({ table }) => table.name === 'wp_options');
  if (!options || options.how === 'replace') return undefined;
  const [now, then] = [homeIn(options, options.removed), homeIn(options, options.added)];
  if (!now || !then) return undefined;
  const move = moveText(then, now);
  return (one, other) =>
    one.values.every((value, place) => {
      const moved = other.values[place] ?? null;
      return isSame(value, typeof moved === 'string' ? move(moved) : moved);
    });
}

function homeIn({ table }: TableChange, rows: readonly Row[]): URL | null {
  const [name, value] = [table.columns.indexOf('option_name'), table.columns.indexOf('option_value')];
  const row = rows.find(({ values }) => values[name] === 'home');
  return row ? URL.parse(String(row.values[value])) : null;
}

function isSame(a: RowValue, b: RowValue): boolean {
  if (a instanceof RawText && b instanceof RawText) return a.bytes.equals(b.bytes);
  if (a instanceof Uint8Array && b instanceof Uint8Array) return Buffer.compare(a, b) === 0;
  return a === b;
}
