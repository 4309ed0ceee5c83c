import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import type { TSchema } from 'typebox';
import { nextTurn } from '../turns.ts';
import { serializerOf } from './serializers.ts';

/** A text so long takes a moment to write as JSON; 1 MiB of short lines takes 20 ms, in which nobody else is answered. */
const LONG = 64 * 1024;
const PART = 16 * 1024;
/** So does a list; an entry may be an object. */
const LONG_LIST = 500;
const ENTRIES = 50;

/** An answer whose long texts and list are written a part at a time, so that others come between; undefined where it has none. */
export function inParts(body: unknown, schema: TSchema): Readable | undefined {
  if (typeof body !== 'object' || body === null) return undefined;
  const long = Object.entries(body).filter(([, value]) => typeof value === 'string' && value.length > LONG);
  const list = longListOf(body, schema);
  if (long.length === 0 && !list) return undefined;
  const marks = new Map(long.map(([name, text]) => [randomBytes(12).toString('hex'), { name, text: text as string }]));
  const short = Object.fromEntries([...marks].map(([mark, { name }]) => [name, mark]));
  const write = (more: object) => serializerOf(schema)({ ...body, ...short, ...more });
  const parts = list ? withList(write, list, marks) : partsOf(write({}), marks);
  return Readable.from(parts, { objectMode: false });
}

interface LongList {
  name: string;
  entries: readonly unknown[];
  schema: TSchema;
}

/** The first that the schema tells the entries of; no answer has two. */
function longListOf(body: object, schema: TSchema): LongList | undefined {
  const { properties = {} } = schema as { properties?: Record<string, { items?: TSchema } | undefined> };
  for (const [name, entries] of Object.entries(body)) {
    const items = properties[name]?.items;
    if (items && Array.isArray(entries) && entries.length > LONG_LIST) return { name, entries, schema: items };
  }
  return undefined;
}

async function* withList(
  write: (more: object) => string,
  { name, entries, schema }: LongList,
  marks: ReadonlyMap<string, { text: string }>,
): AsyncGenerator<Buffer> {
  const [none, one] = [write({ [name]: [] }), write({ [name]: entries.slice(0, 1) })];
  // The two are the same up to where the list has its entries.
  let at = 0;
  while (none[at] === one[at]) at++;
  yield* partsOf(none.slice(0, at), marks);
  const writeEntry = serializerOf(schema);
  for (let start = 0; start < entries.length; start += ENTRIES) {
    const written = entries
      .slice(start, start + ENTRIES)
      .map(writeEntry)
      .join();
    yield Buffer.from(start === 0 ? written : `,${written}`);
    await nextTurn();
  }
  yield* partsOf(none.slice(at), marks);
}

async function* partsOf(written: string, marks: ReadonlyMap<string, { text: string }>): AsyncGenerator<Buffer> {
  if (marks.size === 0) {
    yield Buffer.from(written);
    return;
  }
  // Every other piece is a mark.
  for (const piece of written.split(new RegExp(`(${[...marks.keys()].join('|')})`))) {
    const text = marks.get(piece)?.text;
    if (text === undefined) {
      yield Buffer.from(piece);
      continue;
    }
    for (let at = 0; at < text.length; at += PART) {
      // A pair that is cut in two is written as two escapes, which are one character again for whoever reads it.
      yield Buffer.from(JSON.stringify(text.slice(at, at + PART)).slice(1, -1));
      await nextTurn();
    }
  }
}
