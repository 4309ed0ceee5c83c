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

/** A part of the body; nothing is its end. */
export function bodyPart(chunk: Buffer): Buffer {
  return chunk.length === 0 ? record(TYPE.stdin, NOTHING) : Buffer.concat(records(TYPE.stdin, chunk));
}

export interface RecordEvents {
  stdout(part: Buffer): void;
  stderr(part: Buffer): void;
  /** PHP is done with the request. */
  end(): void;
}

/** Reads what PHP answers, however it is cut into pieces. */
export class RecordReader {
  readonly #events: RecordEvents;
  #rest: Buffer = NOTHING;

  constructor(events: RecordEvents) {
    this.#events = events;
  }

  push(piece: Buffer): void {
    let bytes = this.#rest.length === 0 ? piece : Buffer.concat([this.#rest, piece]);
    while (bytes.length >= HEAD_BYTES) {
      const length = bytes.readUInt16BE(4);
      const whole = HEAD_BYTES + length + bytes.readUInt8(6);
      if (bytes.length < whole) break;
      this.#take(bytes.readUInt8(1), bytes.subarray(HEAD_BYTES, HEAD_BYTES + length));
      bytes = bytes.subarray(whole);
    }
    this.#rest = bytes;
  }

  #take(type: number, content: Buffer): void {
    if (type === TYPE.end) this.#events.end();
    else if (content.length === 0) return;
    else if (type === TYPE.stdout) this.#events.stdout(content);
    else if (type === TYPE.stderr) this.#events.stderr(content);
  }
}

function records(type: number, content: Buffer): Buffer[] {
  const all: Buffer[] = [];
  for (let at = 0; at < content.length; at += MOST_BYTES) all.push(record(type, content.subarray(at, at + MOST_BYTES)));
  return all;
}

function record(type: number, content: Buffer): Buffer {
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeUInt8(VERSION, 0);
  head.writeUInt8(type, 1);
  head.writeUInt16BE(REQUEST_ID, 2);
  head.writeUInt16BE(content.length, 4);
  return Buffer.concat([head, content]);
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
