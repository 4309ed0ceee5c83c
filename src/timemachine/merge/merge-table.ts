import { hash } from 'node:crypto';
import type { ObjectReader, Ref } from '../content.ts';
import type { Cell } from '../tables/row-codec.ts';
import { isMadeAlike } from '../tables/row-difference.ts';
import { readTableOutline, type TableOutline } from '../tables/table-root.ts';
import type { TableDescription } from '../tables/table-source.ts';
import type { ThreeStates } from '../three-way.ts';
import { identityOf } from './identity.ts';
import { RowByRow } from './merge-rows.ts';
import type { MergedTable, MergeTools } from './merge-tools.ts';
import { contentOf, hiddenPlaces } from './our-rows.ts';
import { allRows } from './stored-rows.ts';
import { storeTranslated } from './stored-tables.ts';

/** Brings what theirs has changed since the base into ours. */
export async function mergeTable(
  tools: MergeTools,
  name: string,
  refs: ThreeStates<Ref | undefined>,
): Promise<MergedTable> {
  const [base, ours, theirs] = [
    await outlineOf(tools.reader, tools.isReplaced ? refs.ours : refs.base),
    await outlineOf(tools.reader, refs.ours),
    await outlineOf(tools.reader, refs.theirs),
  ];
  const described = (theirs ?? ours ?? base)?.description as TableDescription;
  const told = (rest: Partial<MergedTable>): MergedTable => ({ name, table: described, rows: [], ...rest });
  if (!theirs) {
    if (!ours) return told({});
    return (await isAsIn(tools, ours, base)) ? told({ does: 'drop' }) : told({ problem: 'gone' });
  }
  if (!ours) return base ? told({ problem: 'gone' }) : told({ does: await bring(tools, theirs, undefined) });
  const table = tableOfBoth(base?.description, ours.description, theirs.description);
  // Where theirs no longer has a column, what ours has written to it since would go without a word.
  const losesColumns =
    table === theirs.description && !ours.description.columns.every((column) => table.columns.includes(column));
  const isWhole = table === undefined || table.key.length === 0 || losesColumns;
  if (isWhole) {
    if (await isAsIn(tools, ours, base)) return told({ does: await bring(tools, theirs, ours) });
    return told({ problem: table && !losesColumns ? 'keyless' : 'made' });
  }
  const merged = await new RowByRow(tools, { base, ours, theirs }, table).merge();
  return merged.problem && tools.isReplaced ? told({ does: await bring(tools, theirs, ours) }) : merged;
}

async function outlineOf(reader: ObjectReader, ref: Ref | undefined): Promise<TableOutline | undefined> {
  return ref === undefined ? undefined : readTableOutline(reader, ref);
}

/** Made as the side makes it that made it anew; undefined where both did, each in its own way. */
function tableOfBoth(
  base: TableDescription | undefined,
  ours: TableDescription,
  theirs: TableDescription,
): TableDescription | undefined {
  if (ours.key.join('\0') !== theirs.key.join('\0')) return undefined;
  if (isMadeAlike(ours, theirs) || (base && isMadeAlike(base, theirs))) return withIndexes(ours, base, theirs);
  return base && isMadeAlike(base, ours) ? theirs : undefined;
}

/** Indexes hold nothing of their own: theirs come where ours has not changed any. */
function withIndexes(
  ours: TableDescription,
  base: TableDescription | undefined,
  theirs: TableDescription,
): TableDescription {
  const parts = ({ schema }: TableDescription) => {
    const { indexes, triggers } = schema as { indexes?: unknown; triggers?: unknown };
    return { indexes, triggers };
  };
  if (!base || !isMadeAlike(ours, theirs) || JSON.stringify(parts(base)) !== JSON.stringify(parts(ours))) return ours;
  return { ...ours, schema: { ...(ours.schema as object), ...parts(theirs) } };
}

async function bring(tools: MergeTools, theirs: TableOutline, ours: TableOutline | undefined) {
  const { ref, ranges } = await storeTranslated(tools, theirs);
  const table = theirs.description;
  return { change: { how: 'replace', table, ranges, rowsBefore: ours?.rows ?? 0 } as const, stored: ref };
}

/** Whether ours still holds what it held in the base, addresses apart. */
async function isAsIn(tools: MergeTools, ours: TableOutline, base: TableOutline | undefined): Promise<boolean> {
  if (tools.isReplaced) return true;
  if (!base || !isMadeAlike(base.description, ours.description) || base.rows !== ours.rows) return false;
  const { neutral } = tools.addresses;
  const shape = tools.shapeOf(ours.description);
  const hidden = hiddenPlaces(
    ours.description,
    shape,
    identityOf(ours.description, shape, tools.rules.nameOf(ours.description.name)),
  );
  // The sum of the rows' hashes: the same for the same rows in whatever order, and nothing has to be held.
  const digest = async (outline: TableOutline, move: (cell: Cell) => Cell) => {
    let sum = 0n;
    for await (const cells of allRows(tools.reader, outline))
      sum += BigInt(`0x${hash('sha256', contentOf(cells, hidden, move))}`);
    return sum;
  };
  return (await digest(ours, neutral.ours)) === (await digest(base, neutral.theirs));
}
