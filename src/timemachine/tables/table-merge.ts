import type { ObjectReader } from '../content.ts';
import type { Decide, RowConflict, TableConflict } from '../three-way.ts';
import type { Row } from './row-codec.ts';
import { differingRanges, differingRows, isMadeAlike, isSameRow, keyOf, MOST_BYTES } from './row-difference.ts';
import type { TableChange } from './table-change.ts';
import type { TableOutline } from './table-root.ts';

/** Undefined where the two changes do not go together. */
export type MergeSchema = (base: unknown, ours: unknown, theirs: unknown) => unknown;

/** Where at most one of the two changed it, that one counts. */
export const plainMerge: MergeSchema = (base, ours, theirs) => {
  const [was, own, other] = [base, ours, theirs].map((schema) => JSON.stringify(schema));
  if (own === other || was === other) return ours;
  return was === own ? theirs : undefined;
};

/**
 * Brings the rows that theirs changed to a table that ours has changed too; no change where ours has them all already.
 * The reason where that can not be done row by row.
 */
export async function mergeTable(
  reader: ObjectReader,
  base: TableOutline | undefined,
  ours: TableOutline,
  theirs: TableOutline,
  decide: Decide,
  mergeSchema: MergeSchema,
): Promise<{ change: TableChange | undefined; conflicts: RowConflict[] } | TableConflict['reason']> {
  const own = ours.description;
  if (!isMadeAlike(own, theirs.description) || (base && !isMadeAlike(base.description, own))) return 'made';
  const schema = mergeSchema(base?.description.schema, own.schema, theirs.description.schema);
  if (schema === undefined) return 'made';
  if (own.key.length === 0) return 'keyless';
  const origin = base ?? { description: own, rows: 0, nodes: [] };
  const [toOurs, toTheirs] = [
    await differingRanges(reader, origin, ours),
    await differingRanges(reader, origin, theirs),
  ];
  if (toOurs.bytes + toTheirs.bytes > MOST_BYTES) return 'large';
  const ownRows = await differingRows(reader, own, toOurs);
  const [removed, added, conflicts]: [Row[], Row[], RowConflict[]] = [[], [], []];
  for (const [key, { before, after }] of await differingRows(reader, own, toTheirs)) {
    const changed = ownRows.get(key);
    const current = changed ? changed.after : before;
    if (isSameRow(current, after)) continue;
    if (changed) {
      const states = { base: before, ours: current, theirs: after };
      const conflict = { kind: 'row', table: own.name, key: keyOf(own, current ?? after), ...states } as const;
      const taken = decide(conflict);
      conflicts.push({ ...conflict, taken });
      if (taken === 'ours') continue;
    }
    if (current) removed.push(current);
    if (after) added.push(after);
  }
  const isNothing = removed.length + added.length === 0 && JSON.stringify(schema) === JSON.stringify(own.schema);
  if (isNothing) return { change: undefined, conflicts };
  const spans = [...toTheirs.before, ...toTheirs.after].map(({ low, high }) => ({ low, high }));
  return { change: { how: 'merge', table: { ...own, schema }, removed, added, spans }, conflicts };
}
