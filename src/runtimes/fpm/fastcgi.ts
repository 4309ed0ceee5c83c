/** FastCGI 1.0, as far as a server of PHP speaks it: one request on each connection. */

const VERSION = 1;
const REQUEST_ID = 1;
const RESPONDER = 1;
const TYPE = { begin: 1, end: 3, params: 4, stdin: 5, stdout: 6, stderr: 7 } as const;
const HEAD_BYTES = 8;
const MOST_BYTES = 0xfff8;
const NOTHING = Buffer.alloc(0);

/** A request up to its body. */
export function requestHead(params: Record<string, string>): Buffer {
  const begin = Buffer.alloc(8);
  begin.writeUInt16BE(RESPONDER);
  const pairs = Buffer.concat(Object.entries(params).map(([name, value]) => pair(name, value)));
  return Buffer.concat([record(TYPE.begin, begin), ...records(TYPE.params, pairs), record(TYPE.params, NOTHING)]);
}

/** A part of the body, to be written one after the other: nothing of it is copied. No part is the body's end. */
export function bodyParts(chunk: Buffer): Buffer[] {
  if (chunk.length === 0) return [recordHead(TYPE.stdin, 0)];
  const all: Buffer[] = [];
  for (let at = 0; at < chunk.length; at += MOST_BYTES) {
    const content = chunk.subarray(at, at + MOST_BYTES);
    all.push(recordHead(TYPE.stdin, content.length), content);
  }
  return all;
}

export interface RecordEvents {
  stdout(part: Buffer): void;
  stderr(part: Buffer): void;
  /** PHP is done with the request. */
  end(): void;
}

/** Reads what PHP answers, however it is cut into pieces. What one piece holds is told at once: it may be thousands of records. */
export class RecordReader {
  readonly #events: RecordEvents;
  #rest: Buffer[] = [];
  #restBytes = 0;
  /** With fewer than these there is no record to read. */
  #neededBytes = HEAD_BYTES;

  constructor(events: RecordEvents) {
    this.#events = events;
  }

  push(piece: Buffer): void {
    this.#rest.push(piece);
    this.#restBytes += piece.length;
    if (this.#restBytes < this.#neededBytes) return;
    const said: Said = { stdout: [], stderr: [], hasEnded: false };
    const rest = this.#read(this.#rest.length === 1 ? piece : Buffer.concat(this.#rest), said);
    this.#rest = rest.length === 0 ? [] : [rest];
    this.#restBytes = rest.length;
    if (said.stderr.length > 0) this.#events.stderr(Buffer.concat(said.stderr));
    if (said.stdout.length > 0) this.#events.stdout(Buffer.concat(said.stdout));
    if (said.hasEnded) this.#events.end();
  }

  /** Returns what is not a whole record yet. */
  #read(bytes: Buffer, said: Said): Buffer {
    let at = 0;
    this.#neededBytes = HEAD_BYTES;
    while (bytes.length - at >= HEAD_BYTES) {
      const length = bytes.readUInt16BE(at + 4);
      const whole = HEAD_BYTES + length + bytes.readUInt8(at + 6);
      if (bytes.length - at < whole) {
        this.#neededBytes = whole;
        break;
      }
      const type = bytes.readUInt8(at + 1);
      const content = bytes.subarray(at + HEAD_BYTES, at + HEAD_BYTES + length);
      if (type === TYPE.end) said.hasEnded = true;
      else if (length > 0 && type === TYPE.stdout) said.stdout.push(content);
      else if (length > 0 && type === TYPE.stderr) said.stderr.push(content);
      at += whole;
    }
    return bytes.subarray(at);
  }
}

/** What one piece told. */
interface Said {
  stdout: Buffer[];
  stderr: Buffer[];
  hasEnded: boolean;
}

function records(type: number, content: Buffer): Buffer[] {
  const all: Buffer[] = [];
  for (let at = 0; at < content.length; at += MOST_BYTES) all.push(record(type, content.subarray(at, at + MOST_BYTES)));
  return all;
}

function record(type: number, content: Buffer): Buffer {
  return Buffer.concat([recordHead(type, content.length), content]);
}

function recordHead(type: number, length: number): Buffer {
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeUInt8(VERSION, 0);
  head.writeUInt8(type, 1);
  head.writeUInt16BE(REQUEST_ID, 2);
  head.writeUInt16BE(length, 4);
  return head;
}

/** Headers are bytes, of which Node makes characters one by one. */
function pair(name: string, value: string): Buffer {
  const [key, text] = [Buffer.from(name, 'latin1'), Buffer.from(value, 'latin1')];
  return Buffer.concat([lengthOf(key), lengthOf(text), key, text]);
}

function lengthOf({ length }: Buffer): Buffer {
  if (length < 0x80) return Buffer.from([length]);
  const long = Buffer.alloc(4);
  long.writeUInt32BE(length + 2 ** 31);
  return long;
}
