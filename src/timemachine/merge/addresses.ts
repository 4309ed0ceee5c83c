import { type Cell, cellOfText, textOfCell } from '../tables/row-codec.ts';

/** The addresses of the two sides: what differs in nothing else is the same. */
export interface Addresses {
  /** A cell of either side as it would be at an address that is nobody's. */
  neutral: {
    ours(cell: Cell): Cell;
    /** Ours may have had another address when it was the base. */
    oursThen(cell: Cell): Cell;
    theirs(cell: Cell): Cell;
  };
  /** A cell of theirs as ours would have it. */
  toOurs(cell: Cell): Cell;
}

/** `move` says how a text of the one address looks at the other. */
export function addressesBy(
  urls: { ours: string; oursThen: string; theirs: string },
  move: (from: URL, to: URL) => (text: string) => string,
): Addresses {
  const from = (url: string, to: URL) => mover({ part: new URL(url).hostname, text: move(new URL(url), to) });
  return {
    neutral: {
      ours: from(urls.ours, NOBODY),
      oursThen: from(urls.oursThen, NOBODY),
      theirs: from(urls.theirs, NOBODY),
    },
    toOurs: from(urls.theirs, new URL(urls.ours)),
  };
}

/** A name that nobody can register. */
const NOBODY = new URL('https://nobody.invalid');

/** `part` is in every text that changes. */
function mover({ part, text: move }: { part: string; text(text: string): string }): (cell: Cell) => Cell {
  return (cell) => {
    if (!cell.includes(part)) return cell;
    const bytes = textOfCell(cell);
    const text = bytes?.toString();
    // What is no UTF-8 would not survive.
    if (bytes === undefined || text === undefined || !Buffer.from(text).equals(bytes)) return cell;
    const moved = move(text);
    return moved === text ? cell : cellOfText(Buffer.from(moved));
  };
}
