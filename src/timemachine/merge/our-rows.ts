import type { Cell } from '../tables/row-codec.ts';
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

/** The rows of ours that matter, or all of them. */
export class OurRows {
  readonly all: Cells[] = [];
  readonly byId = new Map<string, Cells>();
  readonly #byContent = new Map<string, Cells[]>();
  readonly #identity: Identity | undefined;
  readonly #hidden: ReadonlySet<number>;
  readonly #addresses: Addresses;

  constructor(identity: Identity | undefined, hidden: ReadonlySet<number>, addresses: Addresses) {
    this.#identity = identity;
    this.#hidden = hidden;
    this.#addresses = addresses;
  }

  add(cells: Cells): void {
    const { neutral } = this.#addresses;
    this.all.push(cells);
    const id = this.#identity?.of(cells, neutral.ours);
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
