import { corruptObject } from '../hash.ts';
import type { Key, SqlValue } from './table-source.ts';

/**
 * Rows as bytes. Each value says its kind: `n` null, `i<decimal>;` integer, `r<decimal>;` real, `t<bytes>:<UTF-8>` text,
 * `b<bytes>:<bytes>` blob; a row ends with a line feed. Databases can write this by themselves, fast, and nothing is lost:
 * 64-bit integers, NUL bytes, text that is not UTF-8.
 */
const [NULL, INTEGER, REAL, TEXT, BLOB, SEMICOLON, COLON, LINE_FEED] = Buffer.from('nirtb;:\n') as unknown as number[];

/** A text whose bytes are no UTF-8 keeps them; everything else is what the database would give. */
export class RawText {
  readonly bytes: Buffer;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }
}

export type RowValue = SqlValue | RawText;

export interface Row {
  values: RowValue[];
  /** The row as it is stored, for comparing. */
  bytes: Buffer;
}

export function decodeRows(bytes: Buffer, columnCount: number): Row[] {
  const rows: Row[] = [];
  let at = 0;
  while (at < bytes.length) {
    const start = at;
    const values: RowValue[] = [];
    for (let column = 0; column < columnCount; column++) {
      const kind = bytes[at];
      if (kind === NULL) {
        values.push(null);
        at++;
      } else if (kind === INTEGER || kind === REAL) {
        const end = indexOf(bytes, SEMICOLON, at);
        const text = bytes.toString('latin1', at + 1, end);
        values.push(kind === INTEGER ? BigInt(text) : Number(text));
        at = end + 1;
      } else if (kind === TEXT || kind === BLOB) {
        const colon = indexOf(bytes, COLON, at);
        const end = colon + 1 + Number(bytes.toString('latin1', at + 1, colon));
        if (!(end <= bytes.length)) throw corruptObject('a row ends too early');
        const value = bytes.subarray(colon + 1, end);
        values.push(kind === TEXT ? textOf(value) : value);
        at = end;
      } else throw corruptObject('a row has a value of no known kind');
    }
    if (bytes[at] !== LINE_FEED) throw corruptObject('a row has too many values');
    at++;
    rows.push({ values, bytes: bytes.subarray(start, at) });
  }
  return rows;
}

/** The rows of a block, each as its bytes; nothing is made of them. */
export function splitRows(bytes: Buffer, columnCount: number): Buffer[] {
  const rows: Buffer[] = [];
  for (let at = 0; at < bytes.length; ) {
    const start = at;
    for (let column = 0; column < columnCount; column++) {
      const kind = bytes[at];
      if (kind === NULL) at++;
      else if (kind === INTEGER || kind === REAL) at = indexOf(bytes, SEMICOLON, at) + 1;
      else if (kind === TEXT || kind === BLOB) {
        let length = 0;
        for (at++; bytes[at] !== COLON; at++) length = length * 10 + digitOf(bytes[at]);
        at += 1 + length;
      } else throw corruptObject('a row has a value of no known kind');
    }
    if (bytes[at] !== LINE_FEED) throw corruptObject('a row does not end where it should');
    at++;
    rows.push(bytes.subarray(start, at));
  }
  return rows;
}

/** One value of a row as it is stored: two are the same exactly when their bytes are. */
export type Cell = Buffer;

/** The values of one row, each as its bytes. */
export function cellsOf({ bytes, values }: Row): Cell[] {
  const cells: Cell[] = [];
  let at = 0;
  for (const value of values) {
    const start = at;
    if (value === null) at++;
    else if (typeof value === 'bigint' || typeof value === 'number') at = indexOf(bytes, SEMICOLON, at) + 1;
    else {
      const colon = indexOf(bytes, COLON, at);
      at = colon + 1 + Number(bytes.toString('latin1', at + 1, colon));
    }
    cells.push(bytes.subarray(start, at));
  }
  return cells;
}

export function rowOfCells(cells: readonly Cell[]): Row {
  const bytes = Buffer.concat([...cells, Buffer.from('\n')]);
  return decodeRows(bytes, cells.length)[0] as Row;
}

/** The text of a cell that holds one, byte by byte. */
export function textOfCell(cell: Cell): Buffer | undefined {
  return cell[0] === TEXT ? cell.subarray(indexOf(cell, COLON, 0) + 1) : undefined;
}

export function cellOfText(text: Uint8Array): Cell {
  return Buffer.concat([Buffer.from(`t${text.length}:`), text]);
}

export function integerOfCell(cell: Cell | undefined): bigint | undefined {
  return cell && cell[0] === INTEGER ? BigInt(cell.toString('latin1', 1, cell.length - 1)) : undefined;
}

export function cellOfInteger(value: bigint): Cell {
  return Buffer.from(`i${value};`);
}

function digitOf(byte: number | undefined): number {
  const digit = (byte ?? 0) - 48;
  if (digit < 0 || digit > 9) throw corruptObject('a row has a length that is no number');
  return digit;
}

function textOf(bytes: Buffer): string | RawText {
  const text = bytes.toString();
  // Only where a replacement shows can anything have been lost.
  return text.includes('\ufffd') && !Buffer.from(text).equals(bytes) ? new RawText(Buffer.from(bytes)) : text;
}

function indexOf(bytes: Buffer, byte: number | undefined, from: number): number {
  const found = bytes.indexOf(byte as number, from);
  if (found < 0) throw corruptObject('a row ends too early');
  return found;
}

/** Keys in the JSON of a table's nodes: numbers where JSON can carry them exactly, otherwise `{"i": …}` and the like. */
export function keyToJson(key: Key | null): unknown {
  return (
    key?.map((value) => {
      if (typeof value === 'bigint')
        return value >= -(2n ** 53n) && value <= 2n ** 53n ? Number(value) : { i: `${value}` };
      if (typeof value === 'number') return { r: `${value}` };
      if (value instanceof Uint8Array) return { b: Buffer.from(value).toString('base64') };
      return value;
    }) ?? null
  );
}

export function keyFromJson(json: unknown): Key | null {
  if (json === null) return null;
  if (!Array.isArray(json)) throw corruptObject('a key is no list');
  return json.map((value) => {
    if (typeof value === 'number') return BigInt(value);
    if (value === null || typeof value === 'string') return value;
    if (typeof value?.i === 'string') return BigInt(value.i);
    if (typeof value?.r === 'string') return Number(value.r);
    if (typeof value?.b === 'string') return Buffer.from(value.b, 'base64');
    throw corruptObject('a key has a value of no known kind');
  });
}
