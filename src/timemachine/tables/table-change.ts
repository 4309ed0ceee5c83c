import type { Row } from './row-codec.ts';
import type { BoundRange } from './table-root.ts';
import type { Key, TableDescription } from './table-source.ts';

/** What is to be done to one table. */
export type TableChange =
  /** Few rows differ: they are here. All that is in `verify` is then as it is stored. */
  | { how: 'rows'; table: TableDescription; removed: Row[]; added: Row[]; verify: BoundRange[] }
  /** Both sides have changed rows. The rows that come and go are in `spans`, among others. */
  | { how: 'merge'; table: TableDescription; removed: Row[]; added: Row[]; spans: RowSpan[] }
  /** It is new, made differently, or differs in much: all rows are loaded aside. */
  | { how: 'replace'; table: TableDescription; ranges: BoundRange[]; rowsBefore: number };

/** The rows with `low` <= key < `high`. */
interface RowSpan {
  low: Key | null;
  high: Key | null;
}
