import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';

/** A text so long takes a moment to write as JSON; 1 MiB of short lines takes 20 ms, in which nobody else is answered. */
const LONG = 64 * 1024;
const PART = 32 * 1024;

/** An answer whose long texts are written a part at a time, so that others come between; undefined where it has none. */
export function inParts(body: unknown, serialize: (body: unknown) => string): Readable | undefined {
  if (typeof body !== 'object' || body === null) return undefined;
  const long = Object.entries(body).filter(([, value]) => typeof value === 'string' && value.length > LONG);
  if (long.length === 0) return undefined;
  const marks = new Map(long.map(([name, text]) => [randomBytes(12).toString('hex'), { name, text: text as string }]));
  const short = Object.fromEntries([...marks].map(([mark, { name }]) => [name, mark]));
  const written = serialize({ ...body, ...short });
  return Readable.from(partsOf(written, marks), { objectMode: false });
}

async function* partsOf(written: string, marks: ReadonlyMap<string, { text: string }>): AsyncGenerator<Buffer> {
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
      await setImmediate();
    }
  }
}
