import { type Cell, cellOfInteger, integerOfCell, rowOfCells } from '../tables/row-codec.ts';
import type { TableChange } from '../tables/table-change.ts';
import type { TableShape } from '../tables/table-shape.ts';
import type { TableDescription } from '../tables/table-source.ts';
import { type Cells, type Identity, identityBy } from './identity.ts';
import { keyPlaceOf, type OurRows } from './our-rows.ts';

/** What comes and goes, with numbers that are free and nothing that is there twice. */
export class MergedRows {
  readonly #isKeyFree: boolean;
  readonly #keyPlace: number | undefined;
  readonly #uniques: { identity: Identity; rows: Map<string, Cells> }[];
  readonly #own: OurRows;
  readonly #removed = new Set<Cells>();
  readonly #added = new Set<Cells>();
  readonly #numbers: Set<bigint>;
  #highest: bigint;

  constructor(table: TableDescription, shape: TableShape, identity: Identity | undefined, own: OurRows) {
    this.#own = own;
    this.#keyPlace = keyPlaceOf(table);
    this.#numbers = new Set(own.given);
    this.#highest = own.highest;
    this.#isKeyFree = !identity?.isKey;
    this.#uniques = shape.uniques.map((unique) => ({ identity: identityBy(table, unique, false), rows: new Map() }));
    for (const cells of own.all) this.#note(cells);
  }

  remove(cells: Cells): void {
    // What only came now simply does not come.
    if (!this.#added.delete(cells)) this.#removed.add(cells);
    for (const { identity, rows } of this.#uniques) {
      const id = identity.of(cells);
      if (id !== undefined && rows.get(id) === cells) rows.delete(id);
    }
  }

  /** Says the row that was in the way. It goes, or where conflicts are ours' to win, the new one does not come. */
  add(cells: Cells, instead: Cells | undefined, side: 'ours' | 'theirs'): Cells | undefined {
    let blocking: Cells | undefined;
    for (const { identity, rows } of this.#uniques) {
      const id = identity.of(cells);
      const found = id === undefined ? undefined : rows.get(id);
      if (!found) continue;
      blocking = found;
      if (side === 'theirs') this.remove(found);
    }
    if (blocking && side === 'ours') {
      // What was to be replaced stays as well.
      if (instead) {
        this.#removed.delete(instead);
        this.#note(instead);
      }
      return blocking;
    }
    const placed = this.#numbered(cells, instead);
    this.#added.add(placed);
    this.#note(placed);
    return blocking;
  }

  /** All rows of ours as they are then. */
  *rows(): Generator<Cells> {
    for (const cells of this.#own.all) if (!this.#removed.has(cells)) yield cells;
    yield* this.#added;
  }

  /** `table` is what it is then, whatever rows it has. */
  change(table: TableDescription): Extract<TableChange, { how: 'merge' }> {
    const [removed, added] = [this.#removed, this.#added].map((rows) =>
      [...rows].map((cells) => rowOfCells(cells as Cell[])),
    );
    return { how: 'merge', table, removed: removed ?? [], added: added ?? [], spans: this.#spans() };
  }

  #note(cells: Cells): void {
    const number = this.#keyPlace === undefined ? undefined : integerOfCell(cells[this.#keyPlace]);
    if (number !== undefined) {
      this.#numbers.add(number);
      if (number > this.#highest) this.#highest = number;
    }
    for (const { identity, rows } of this.#uniques) {
      const id = identity.of(cells);
      if (id !== undefined) rows.set(id, cells);
    }
  }

  /** A number that names nothing may be another one: that of the row before it, or the next that is free. */
  #numbered(cells: Cells, instead: Cells | undefined): Cells {
    const place = this.#keyPlace;
    if (!this.#isKeyFree || place === undefined) return cells;
    const wanted = integerOfCell(instead?.[place] ?? cells[place]);
    const isFree = wanted !== undefined && (instead !== undefined || !this.#numbers.has(wanted));
    return cells.with(place, cellOfInteger(isFree ? wanted : this.#highest + 1n));
  }

  /** Where to look whether all of it is there: around the numbers, or everywhere. */
  #spans(): { low: [bigint] | null; high: [bigint] | null }[] {
    const place = this.#keyPlace;
    const touched = [...this.#removed, ...this.#added].map((cells) =>
      place === undefined ? undefined : integerOfCell(cells[place]),
    );
    if (touched.some((number) => number === undefined)) return [{ low: null, high: null }];
    const sorted = [...new Set(touched as bigint[])].sort((a, b) => (a < b ? -1 : 1));
    const spans: { low: [bigint]; high: [bigint] }[] = [];
    for (const number of sorted) {
      const last = spans.at(-1);
      if (last && number - last.high[0] < NEAR) last.high = [number + 1n];
      else spans.push({ low: [number], high: [number + 1n] });
    }
    return spans;
  }
}

/** Rows that are so near to one another are read at once. */
const NEAR = 100n;
