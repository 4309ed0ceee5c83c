import { type Cell, integerOfCell } from '../tables/row-codec.ts';
import type { TableShape } from '../tables/table-shape.ts';
import type { TableDescription } from '../tables/table-source.ts';
import type { Addresses } from './addresses.ts';
import type { Cells, Identity } from './identity.ts';

/** Rows without a name are counted, for nothing else tells them apart. */
export const UNNAMED = 'unnamed ';

export function contentOf(cells: Cells, hidden: ReadonlySet<number>, move = (cell: Cell) => cell): string {
  return cells.map((cell, at) => (hidden.has(at) || !cell ? '' : move(cell).toString('latin1'))).join('|');
}

export function addTo<Value>(lists: Map<string, Value[]>, name: string, value: Value): void {
  const list = lists.get(name);
  if (list) list.push(value);
  else lists.set(name, [value]);
}

/** What to keep of the rows of ours, of which there may be more than memory has place for. */
export interface WantedRows {
  has(cells: Cells, id: string | undefined): boolean;
  /** Numbers of which one has to know whether they are given. */
  numbers: ReadonlySet<bigint>;
}

/** The rows of ours that matter. */
export class OurRows {
  readonly all: Cells[] = [];
  readonly byId = new Map<string, Cells>();
  readonly #byContent = new Map<string, Cells[]>();
  readonly #identity: Identity | undefined;
  readonly #hidden: ReadonlySet<number>;
  readonly #addresses: Addresses;
  readonly #keyPlace: number | undefined;
  readonly #wanted: WantedRows | undefined;
  /** Of the numbers that were asked for, those that are given, whatever row has them. */
  readonly given = new Set<bigint>();
  highest = 0n;

  constructor(
    naming: { identity: Identity | undefined; hidden: ReadonlySet<number>; keyPlace: number | undefined },
    addresses: Addresses,
    wanted: WantedRows | undefined,
  ) {
    this.#identity = naming.identity;
    this.#hidden = naming.hidden;
    this.#keyPlace = naming.keyPlace;
    this.#addresses = addresses;
    this.#wanted = wanted;
  }

  add(cells: Cells): void {
    const { neutral } = this.#addresses;
    const number = this.#keyPlace === undefined ? undefined : integerOfCell(cells[this.#keyPlace]);
    if (number !== undefined && number > this.highest) this.highest = number;
    if (number !== undefined && (this.#wanted?.numbers.has(number) ?? true)) this.given.add(number);
    const id = this.#identity?.of(cells, neutral.ours);
    if (this.#wanted && !this.#wanted.has(cells, id)) return;
    this.all.push(cells);
    if (id !== undefined) this.byId.set(id, cells);
    else addTo(this.#byContent, contentOf(cells, this.#hidden, neutral.ours), cells);
  }

  /** Of rows without a name: one that is as theirs was, and that no other change has found. */
  takeTwin(before: Cells | undefined): Cells | undefined {
    return before && this.#byContent.get(contentOf(before, this.#hidden, this.#addresses.neutral.theirs))?.pop();
  }
}

/** Columns that may be another number tomorrow: a key that nobody sees, or that does not name the row. */
export function hiddenPlaces(
  { key, columns }: TableDescription,
  { isKeyHidden }: TableShape,
  identity: Identity | undefined,
): Set<number> {
  const isHidden = isKeyHidden || (identity !== undefined && !identity.isKey);
  return new Set(isHidden ? key.map((name) => columns.indexOf(name)) : []);
}

/** Where the one number is that a table is ordered by. */
export function keyPlaceOf({ key, columns }: TableDescription): number | undefined {
  const [place, more] = key.map((name) => columns.indexOf(name));
  return more === undefined ? place : undefined;
}
