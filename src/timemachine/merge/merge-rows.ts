import { type Cell, integerOfCell } from '../tables/row-codec.ts';
import { isMadeAlike, MOST_BYTES } from '../tables/row-difference.ts';
import type { TableOutline } from '../tables/table-root.ts';
import type { TableShape } from '../tables/table-shape.ts';
import type { TableDescription } from '../tables/table-source.ts';
import { aligner, type Cells, type Identity, identityOf } from './identity.ts';
import { isSameRowOf, mergeRow, type RowMerging, type TheirChange } from './merge-row.ts';
import type { MergedRowEntry, MergedTable, MergeTools, TableProblem } from './merge-tools.ts';
import { MergedRows } from './merged-rows.ts';
import { hiddenPlaces, OurRows, UNNAMED } from './our-rows.ts';
import { fitsPattern, rowChanges } from './row-changes.ts';
import { allRows, bytesOf, rowsAround } from './stored-rows.ts';
import { storeRows } from './stored-tables.ts';

/** Merges a table row by row. */
export class RowByRow {
  readonly #tools: MergeTools;
  readonly #base: TableOutline | undefined;
  readonly #ours: TableOutline;
  readonly #theirs: TableOutline;
  /** The table that comes of it. */
  readonly #table: TableDescription;
  readonly #shape: TableShape;
  readonly #hidden: ReadonlySet<number>;
  readonly #identity: Identity | undefined;
  readonly #how: RowMerging;

  constructor(
    tools: MergeTools,
    { base, ours, theirs }: { base: TableOutline | undefined; ours: TableOutline; theirs: TableOutline },
    table: TableDescription,
  ) {
    this.#tools = tools;
    this.#base = base;
    this.#ours = ours;
    this.#theirs = theirs;
    this.#table = table;
    this.#shape = tools.shapeOf(table);
    this.#identity = identityOf(table, this.#shape, tools.rules.nameOf(table.name));
    this.#hidden = hiddenPlaces(table, this.#shape, this.#identity);
    this.#how = {
      table,
      addresses: tools.addresses,
      isCount: (column) => tools.rules.isCount(table.name, column),
      hidden: this.#hidden,
    };
  }

  async merge(): Promise<MergedTable> {
    const { name } = this.#table;
    const told = { name, table: this.#table, rows: [] };
    const changes = await this.#theirChanges();
    if (typeof changes === 'string') return { ...told, problem: changes };
    if (changes.size === 0 && !this.#isRemade && !this.#hasOtherParts()) return told;
    const merged = await this.#apply(changes, this.#isRemade);
    return typeof merged === 'string' ? { ...told, problem: merged } : merged;
  }

  #hasOtherParts(): boolean {
    return JSON.stringify(this.#table.schema) !== JSON.stringify(this.#ours.description.schema);
  }

  /** What theirs has changed; where all of theirs is to be taken, all that differs. */
  async #theirChanges(): Promise<Map<string, TheirChange> | TableProblem> {
    const { reader, addresses, isReplaced } = this.#tools;
    const naming = { table: this.#table, identity: this.#identity, hidden: this.#hidden };
    const isKept = (cells: Cells) => fitsPattern(this.#table, this.#tools.rules.ownRows(this.#table.name), cells);
    const rows = {
      ...naming,
      isLeftOut: isKept,
      neutral: { before: addresses.neutral.theirs, after: addresses.neutral.theirs },
    };
    if (!isReplaced) return rowChanges(reader, rows, this.#base, this.#theirs, this.#isRemade);
    const changes = await rowChanges(reader, rows, undefined, this.#theirs, false);
    if (typeof changes === 'string') return changes;
    const align = aligner(this.#ours.description, this.#table);
    for await (const cells of allRows(reader, this.#ours)) {
      const own = align(cells);
      const id = this.#identity?.of(own, addresses.neutral.ours);
      if (id !== undefined && !changes.has(id) && !isKept(own))
        changes.set(id, { before: undefined, after: undefined });
    }
    return changes;
  }

  get #isRemade(): boolean {
    return !isMadeAlike(this.#table, this.#ours.description);
  }

  async #apply(changes: Map<string, TheirChange>, isRemade: boolean): Promise<MergedTable | TableProblem> {
    const own = await this.#readOurs(changes, isRemade);
    if (own === 'large') return own;
    const entries: MergedRowEntry[] = [];
    const result = new MergedRows(this.#table, this.#shape, this.#identity, own);
    const remade = this.#tools.rules.remadeRows(this.#table.name);
    const coming: { entry: MergedRowEntry; cells: Cells }[] = [];
    for (const [id, change] of changes) {
      const ours = id.startsWith(UNNAMED) ? own.takeTwin(change.before) : own.byId.get(id);
      if (fitsPattern(this.#table, remade, change.after ?? change.before)) {
        if (ours) result.remove(ours);
        continue;
      }
      const merged = mergeRow(this.#how, ours, change);
      const isConflict = merged.isConflict && !this.#tools.isReplaced;
      const entry = { id, ...change, ours, isConflict };
      entries.push(entry);
      if (isConflict && this.#tools.conflictsTo === 'ours') continue;
      const cells = merged.cells && this.#completed(merged.cells);
      if (cells === null) return 'made';
      if (ours && cells && !isRemade && isSameRowOf(new Set(), ours, cells)) continue;
      if (ours) result.remove(ours);
      if (cells) coming.push({ entry, cells });
    }
    // When all that goes is gone: two rows may have changed names.
    for (const { entry, cells } of coming) {
      const inTheWay = result.add(cells, entry.ours, this.#tools.isReplaced ? 'theirs' : this.#tools.conflictsTo);
      if (inTheWay && !this.#tools.isReplaced) entry.isConflict = true;
    }
    const { name } = this.#table;
    const told = { name, table: this.#table, rows: entries };
    if (isRemade) {
      const rows = [...result.rows()].map((cells) => this.#completed(cells));
      if (rows.includes(null)) return 'made';
      const stored = storeRows(this.#tools.writer, this.#table, rows as Cell[][]);
      if (!stored) return 'made';
      const { ref, ranges } = stored;
      return {
        ...told,
        does: { change: { how: 'replace', table: this.#table, ranges, rowsBefore: this.#ours.rows }, stored: ref },
      };
    }
    const change = result.change();
    const isNothing = change.removed.length + change.added.length === 0 && !this.#hasOtherParts();
    return isNothing ? told : { ...told, does: { change } };
  }

  /** Every column has something; null where nobody can say what. */
  #completed(cells: Cells): Cell[] | null {
    const full = cells.map((cell, at) => cell ?? this.#shape.defaults.get(this.#table.columns[at] as string));
    return full.every((cell) => cell !== undefined) ? (full as Cell[]) : null;
  }

  async #readOurs(changes: ReadonlyMap<string, TheirChange>, isRemade: boolean): Promise<OurRows | 'large'> {
    const { reader } = this.#tools;
    const numbers = this.#identity?.isKey ? this.#numbersOf(changes) : undefined;
    const isPart = numbers !== undefined && this.#shape.uniques.length === 0 && !isRemade && !this.#tools.isReplaced;
    if (!isPart && (await bytesOf(reader, this.#ours)) > 4 * MOST_BYTES) return 'large';
    const rows = isPart ? rowsAround(reader, this.#ours, numbers) : allRows(reader, this.#ours);
    const align = aligner(this.#ours.description, this.#table);
    const own = new OurRows(this.#identity, this.#hidden, this.#tools.addresses);
    for await (const cells of rows) own.add(align(cells));
    return own;
  }

  /** The numbers that name the rows, where these are what the table is ordered by. */
  #numbersOf(changes: ReadonlyMap<string, TheirChange>): bigint[] | undefined {
    const [place, more] = this.#table.key.map((name) => this.#table.columns.indexOf(name));
    if (place === undefined || more !== undefined) return undefined;
    const numbers: bigint[] = [];
    for (const { before, after } of changes.values()) {
      const number = integerOfCell((after ?? before)?.[place]);
      if (number === undefined) return undefined;
      numbers.push(number);
    }
    return numbers;
  }
}
