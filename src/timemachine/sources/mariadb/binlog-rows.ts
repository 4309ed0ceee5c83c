/** A table as an event of the log describes it, for the row events that follow. */
export interface LoggedTable {
  database: string;
  name: string;
  types: Buffer;
  /** What the length of a value depends on, by column. */
  details: number[];
  /** The place of the key among the columns, where it is one whole number; undefined where the log does not tell, or it is none. */
  key: number | undefined;
}

const [TINY, SHORT, LONG, FLOAT, DOUBLE, TIMESTAMP, LONGLONG, INT24] = [1, 2, 3, 4, 5, 7, 8, 9];
const [DATE, TIME, DATETIME, YEAR, VARCHAR, BIT] = [10, 11, 12, 13, 15, 16];
const [TIMESTAMP2, DATETIME2, TIME2, BLOB_COMPRESSED, VARCHAR_COMPRESSED] = [17, 18, 19, 140, 141];
const [NEWDECIMAL, ENUM, SET, TINY_BLOB, BLOB, VAR_STRING, STRING, GEOMETRY] = [246, 247, 248, 249, 252, 253, 254, 255];

const FIXED = new Map([
  [TINY, 1],
  [SHORT, 2],
  [INT24, 3],
  [LONG, 4],
  [LONGLONG, 8],
  [FLOAT, 4],
  [DOUBLE, 8],
  [YEAR, 1],
  [DATE, 3],
  [TIME, 3],
  [TIMESTAMP, 4],
  [DATETIME, 8],
]);
const WHOLE_NUMBERS = new Set([TINY, SHORT, INT24, LONG, LONGLONG]);
const SIMPLE_KEY = 8;
/** Bytes of so many digits of a decimal. */
const DIGITS = [0, 1, 1, 2, 2, 3, 3, 4, 4, 4];

export function parseTable(body: Buffer): { id: number; table: LoggedTable } {
  const id = body.readUIntLE(0, 6);
  let at = 8;
  const text = () => {
    const length = body[at] as number;
    const value = body.toString('utf8', at + 1, at + 1 + length);
    at += length + 2;
    return value;
  };
  const [database, name] = [text(), text()];
  const cursor = { at };
  const count = readLength(body, cursor);
  const types = body.subarray(cursor.at, cursor.at + count);
  cursor.at += count;
  const detailsEnd = readLength(body, cursor) + cursor.at;
  const details = [...types].map((type) => readDetail(body, cursor, type));
  if (cursor.at !== detailsEnd) throw new RangeError('the table is described in another way');
  cursor.at += (count + 7) >> 3;
  return { id, table: { database, name, types, details, key: readKey(body, cursor, types) } };
}

/** With the metadata that a server has to be told to write (binlog_row_metadata). */
function readKey(body: Buffer, cursor: { at: number }, types: Buffer): number | undefined {
  while (cursor.at < body.length) {
    const kind = body[cursor.at++];
    const end = readLength(body, cursor) + cursor.at;
    if (kind === SIMPLE_KEY) {
      const key = readLength(body, cursor);
      return cursor.at === end && WHOLE_NUMBERS.has(types[key] as number) ? key : undefined;
    }
    cursor.at = end;
  }
  return undefined;
}

function readDetail(body: Buffer, cursor: { at: number }, type: number): number {
  const at = cursor.at;
  switch (type) {
    case FLOAT:
    case DOUBLE:
    case BLOB_COMPRESSED:
    case GEOMETRY:
    case TIMESTAMP2:
    case DATETIME2:
    case TIME2:
      cursor.at += 1;
      return body[at] as number;
    case VARCHAR:
    case VARCHAR_COMPRESSED:
      cursor.at += 2;
      return body.readUInt16LE(at);
    case BIT:
    case NEWDECIMAL:
    case ENUM:
    case SET:
    case VAR_STRING:
    case STRING:
      cursor.at += 2;
      return body.readUInt16BE(at);
    default:
      if ((type as number) >= TINY_BLOB && (type as number) <= BLOB) {
        cursor.at += 1;
        return body[at] as number;
      }
      return 0;
  }
}

/**
 * The keys of the rows that an event adds, changes or removes, before and after. A number with its highest bit set is given
 * both ways that it can be read: one key too many costs nothing. Undefined where the event does not tell.
 */
export function keysOfRows(
  body: Buffer,
  table: LoggedTable,
  { isUpdate, isLong }: { isUpdate: boolean; isLong: boolean },
): bigint[] | undefined {
  if (table.key === undefined) return undefined;
  const cursor = { at: isLong ? 8 + body.readUInt16LE(8) : 8 };
  const count = readLength(body, cursor);
  const bytes = (count + 7) >> 3;
  const images: Buffer[] = [];
  for (let image = 0; image < (isUpdate ? 2 : 1); image++) {
    images.push(body.subarray(cursor.at, cursor.at + bytes));
    cursor.at += bytes;
  }
  // A change that keeps the key may leave it out of the row as it is afterwards.
  if (!isSet(images[0] as Buffer, table.key)) return undefined;
  const keys: bigint[] = [];
  while (cursor.at < body.length) for (const image of images) readRow(body, cursor, table, image, count, keys);
  return cursor.at === body.length ? keys : undefined;
}

function readRow(
  body: Buffer,
  cursor: { at: number },
  { types, details, key }: LoggedTable,
  image: Buffer,
  count: number,
  keys: bigint[],
): void {
  let present = 0;
  for (let column = 0; column < count; column++) if (isSet(image, column)) present++;
  const nulls = body.subarray(cursor.at, cursor.at + ((present + 7) >> 3));
  cursor.at += nulls.length;
  let place = 0;
  for (let column = 0; column < count; column++) {
    if (!isSet(image, column)) continue;
    if (isSet(nulls, place++)) continue;
    const type = types[column] as number;
    const length = lengthOf(body, cursor.at, type, details[column] as number);
    if (column === key) addNumber(body, cursor.at, length, keys);
    cursor.at += length;
  }
}

function addNumber(body: Buffer, at: number, length: number, keys: bigint[]): void {
  const value = length === 8 ? body.readBigUInt64LE(at) : BigInt(body.readUIntLE(at, length));
  keys.push(value);
  const signed = BigInt.asIntN(length * 8, value);
  if (signed !== value) keys.push(signed);
}

function lengthOf(body: Buffer, at: number, type: number, detail: number): number {
  const fixed = FIXED.get(type);
  if (fixed !== undefined) return fixed;
  switch (type) {
    case TIMESTAMP2:
      return 4 + ((detail + 1) >> 1);
    case DATETIME2:
      return 5 + ((detail + 1) >> 1);
    case TIME2:
      return 3 + ((detail + 1) >> 1);
    case VARCHAR:
    case VARCHAR_COMPRESSED:
      return detail > 255 ? 2 + body.readUInt16LE(at) : 1 + body.readUInt8(at);
    case BIT:
      return (detail & 0xff) + (detail >> 8 > 0 ? 1 : 0) === 0 ? 0 : bitBytes(detail);
    case NEWDECIMAL:
      return decimalBytes(detail >> 8, detail & 0xff);
    case STRING:
    case VAR_STRING:
    case ENUM:
    case SET:
      return stringBytes(body, at, detail);
    case BLOB_COMPRESSED:
    case GEOMETRY:
      return detail + body.readUIntLE(at, detail);
    default:
      if (type >= TINY_BLOB && type <= BLOB) return detail + body.readUIntLE(at, detail);
      throw new RangeError(`a value of the unknown type ${type}`);
  }
}

/** The first byte says how many bits are left over, the second how many whole bytes there are. */
function bitBytes(detail: number): number {
  return (detail & 0xff) + (detail >> 8 > 0 ? 1 : 0);
}

function decimalBytes(precision: number, scale: number): number {
  const whole = precision - scale;
  const bytes = (digits: number) => Math.floor(digits / 9) * 4 + (DIGITS[digits % 9] as number);
  return bytes(whole) + bytes(scale);
}

/** What is a list of words or a text of fixed length hides in the same type; two bits of its length stand in the other byte. */
function stringBytes(body: Buffer, at: number, detail: number): number {
  const [first, second] = [detail >> 8, detail & 0xff];
  if ((first & 0x30) !== 0x30) return textBytes(body, at, second | (((first & 0x30) ^ 0x30) << 4));
  if (first === ENUM || first === SET) return second;
  return textBytes(body, at, second);
}

function textBytes(body: Buffer, at: number, longest: number): number {
  return longest > 255 ? 2 + body.readUInt16LE(at) : 1 + body.readUInt8(at);
}

function isSet(bits: Buffer, place: number): boolean {
  return (((bits[place >> 3] as number) >> (place & 7)) & 1) === 1;
}

function readLength(body: Buffer, cursor: { at: number }): number {
  const first = body.readUInt8(cursor.at++);
  if (first < 0xfb) return first;
  const bytes = first === 0xfc ? 2 : first === 0xfd ? 3 : 6;
  const value = body.readUIntLE(cursor.at, bytes);
  cursor.at += first === 0xfe ? 8 : bytes;
  return value;
}
