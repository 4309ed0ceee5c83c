import { type Cell, integerOfCell, textOfCell } from '../tables/row-codec.ts';
import { isMadeAlike } from '../tables/row-difference.ts';
import type { TableOutline } from '../tables/table-root.ts';
import type { TableShape } from '../tables/table-shape.ts';
import type { TableDescription } from '../tables/table-source.ts';
import { aligner, type Cells, type Identity, identityBy, identityOf } from './identity.ts';
import { isSameRowOf, mergeRow, type RowMerging, type TheirChange } from './merge-row.ts';
import type { MergedRowEntry, MergedTable, MergeTools, TableProblem } from './merge-tools.ts';
import { MergedRows } from './merged-rows.ts';
import { contentOf, hiddenPlaces, keyPlaceOf, OurRows, UNNAMED, type WantedRows } from './our-rows.ts';
import { fitsPattern, isTooMuch, rowChanges } from './row-changes.ts';
import { allRows, rowsAround } from './stored-rows.ts';
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
    const isKept = (cells: Cells) => this.#isOwn(cells) || this.#describes(this.#tools.keep, cells);
    const rows = {
      ...naming,
      isLeftOut: isKept,
      neutral: { before: addresses.neutral.theirs, after: addresses.neutral.theirs },
    };
    const all = isReplaced ? undefined : this.#base;
    const changes = await rowChanges(reader, rows, all, this.#theirs, this.#isRemade && !isReplaced);
    if (typeof changes === 'string') return changes;
    const isTaken = (cells: Cells) => isReplaced || this.#describes(this.#tools.take, cells);
    if (!isReplaced && !this.#hasTaken) return changes;
    for await (const cells of allRows(reader, this.#theirs)) {
      const theirs = aligner(this.#theirs.description, this.#table)(cells);
      const id = this.#identity?.of(theirs, addresses.neutral.theirs);
      if (id !== undefined && !isReplaced && isTaken(theirs)) changes.set(id, { before: undefined, after: theirs });
    }
    for await (const cells of allRows(reader, this.#ours)) {
      const own = aligner(this.#ours.description, this.#table)(cells);
      const id = this.#identity?.of(own, addresses.neutral.ours);
      const isGone = id !== undefined && !changes.get(id)?.after && isTaken(own) && !isKept(own);
      if (isGone) changes.set(id, { before: undefined, after: undefined });
    }
    return changes;
  }

  #isOwn(cells: Cells): boolean {
    return fitsPattern(this.#table, this.#tools.rules.ownRows(this.#table.name), cells);
  }

  /** Whether the row tells of one of these tables. */
  #describes(tables: ReadonlySet<string>, cells: Cells | undefined): boolean {
    const column = this.#tools.rules.describes(this.#table.name);
    const cell = column === undefined ? undefined : cells?.[this.#table.columns.indexOf(column)];
    const name = cell && textOfCell(cell)?.toString();
    return name !== undefined && tables.has(name);
  }

  get #hasTaken(): boolean {
    return this.#tools.take.size > 0 && this.#tools.rules.describes(this.#table.name) !== undefined;
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
      const isTaken = this.#tools.isReplaced || this.#describes(this.#tools.take, change.after ?? ours);
      const isConflict = merged.isConflict && !isTaken;
      const entry: MergedRowEntry = { id, ...change, ours, isConflict };
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
      if (!inTheWay || this.#tools.isReplaced) continue;
      entry.isConflict = true;
      entry.ours ??= inTheWay;
      entry.replaces = this.#identity?.of(inTheWay, this.#tools.addresses.neutral.ours);
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
    // Rows that did not come keep their numbers there: live goes on above them.
    const isNew = coming.some(({ entry }) => !entry.before);
    const change = result.change(
      isNew ? this.#tools.withNumbersOf(this.#table, this.#theirs.description) : this.#table,
    );
    const isNothing = change.removed.length + change.added.length === 0 && !this.#hasOtherParts();
    return isNothing ? told : { ...told, does: { change } };
  }

  /** Every column has something; null where nobody can say what. */
  #completed(cells: Cells): Cell[] | null {
    const full = cells.map((cell, at) => cell ?? this.#shape.defaults.get(this.#table.columns[at] as string));
    return full.every((cell) => cell !== undefined) ? (full as Cell[]) : null;
  }

  async #readOurs(changes: ReadonlyMap<string, TheirChange>, isRemade: boolean): Promise<OurRows | 'large'> {
    const { reader, addresses } = this.#tools;
    const numbers = this.#identity?.isKey ? this.#numbersOf(changes) : undefined;
    const isPart = numbers !== undefined && this.#shape.uniques.length === 0 && !isRemade && !this.#tools.isReplaced;
    if (isRemade && isTooMuch(this.#ours.rows, this.#ours)) return 'large';
    const rows = isPart ? rowsAround(reader, this.#ours, numbers) : allRows(reader, this.#ours);
    const align = aligner(this.#ours.description, this.#table);
    const naming = { identity: this.#identity, hidden: this.#hidden, keyPlace: keyPlaceOf(this.#table) };
    const own = new OurRows(naming, addresses, isRemade ? undefined : this.#wantedOf(changes));
    for await (const cells of rows) own.add(align(cells));
    return own;
  }

  /** Rows that a change is about, or that can not be there beside one that comes. */
  #wantedOf(changes: ReadonlyMap<string, TheirChange>): WantedRows {
    const { neutral, toOurs } = this.#tools.addresses;
    const uniques = this.#shape.uniques.map((unique) => identityBy(this.#table, unique, false));
    const coming = new Set<string>();
    const [contents, numbers] = [new Set<string>(), new Set<bigint>()];
    const keyPlace = keyPlaceOf(this.#table);
    for (const [id, { before, after }] of changes) {
      if (before && id.startsWith(UNNAMED)) contents.add(contentOf(before, this.#hidden, neutral.theirs));
      for (const [at, unique] of uniques.entries()) if (after) coming.add(`${at} ${unique.of(after, toOurs)}`);
      const number = keyPlace === undefined ? undefined : integerOfCell(after?.[keyPlace]);
      if (number !== undefined) numbers.add(number);
    }
    return {
      has: (cells, id) =>
        (id === undefined ? contents.has(contentOf(cells, this.#hidden, neutral.ours)) : changes.has(id)) ||
        uniques.some((unique, at) => coming.has(`${at} ${unique.of(cells)}`)),
      numbers,
    };
  }

  /** The numbers that name the rows, where these are what the table is ordered by. */
  #numbersOf(changes: ReadonlyMap<string, TheirChange>): bigint[] | undefined {
    const place = keyPlaceOf(this.#table);
    if (place === undefined) return undefined;
    const numbers: bigint[] = [];
    for (const { before, after } of changes.values()) {
      const number = integerOfCell((after ?? before)?.[place]);
      if (number === undefined) return undefined;
      numbers.push(number);
    }
    return numbers;
  }
}
