import { decodeRows, keyFromJson, keyToJson, type Row } from '../tables/row-codec.ts';
import type { TableChange } from '../tables/table-change.ts';
import type { JournaledMerge } from './journal.ts';

type Merge = Extract<TableChange, { how: 'merge' }>;

export function packMerge({ table, removed, added, spans }: Merge): JournaledMerge {
  const pack = (rows: readonly Row[]) => Buffer.concat(rows.map(({ bytes }) => bytes)).toString('base64');
  return {
    table,
    removed: pack(removed),
    added: pack(added),
    spans: spans.map(({ low, high }) => [keyToJson(low), keyToJson(high)]),
  };
}

/** The same merge, be it for the second time: what it added may be there already, and goes first then. */
export function unpackMerge({ table, removed, added, spans }: JournaledMerge): Merge {
  const unpack = (rows: string) => decodeRows(Buffer.from(rows, 'base64'), table.columns.length);
  return {
    how: 'merge',
    table,
    removed: [...unpack(removed), ...unpack(added)],
    added: unpack(added),
    spans: spans.map(([low, high]) => ({ low: keyFromJson(low), high: keyFromJson(high) })),
  };
}
