import type { ObjectReader, ObjectWriter, Ref } from '../content.ts';
import type { TableChange } from '../tables/table-change.ts';
import type { ShapeOf, WithNumbersOf } from '../tables/table-shape.ts';
import type { TableDescription } from '../tables/table-source.ts';
import type { Addresses } from './addresses.ts';
import type { Cells } from './identity.ts';
import type { TheirChange } from './merge-row.ts';
import type { Merging } from './merge-rules.ts';

export interface MergeTools {
  reader: ObjectReader;
  writer: ObjectWriter;
  addresses: Addresses;
  rules: Merging;
  shapeOf: ShapeOf;
  withNumbersOf: WithNumbersOf;
  /** Ours becomes what theirs is, whatever it has of its own. */
  isReplaced: boolean;
  /** Tables that stay as ours has them, and those that become theirs as a whole: what describes them goes with them. */
  keep: ReadonlySet<string>;
  take: ReadonlySet<string>;
  /** Whose row it is where both have changed it in different ways. */
  conflictsTo: 'ours' | 'theirs';
}

/** Why the rows of a table can not be merged one by one. */
export type TableProblem = 'gone' | 'made' | 'keyless' | 'large' | 'unread';

/** One row that theirs has changed, in the columns of the table that comes of it. */
export interface MergedRowEntry extends TheirChange {
  id: string;
  ours: Cells | undefined;
  isConflict: boolean;
  /** The row of ours, by its id, that goes because the two can not be there together. */
  replaces?: string | undefined;
}

export interface MergedTable {
  name: string;
  /** What is done to ours; nothing where it has all of it. */
  does?: { change: TableChange; stored?: Ref } | 'drop';
  problem?: TableProblem;
  table: TableDescription;
  rows: MergedRowEntry[];
}
