import { type ServerResponse, STATUS_CODES } from 'node:http';
import type { RawHeaders } from './raw-headers.ts';

/** Bodies up to this size are sent together with their head as one piece of memory. */
const ONE_PIECE_BYTES = 128 * 1024;
/** Up to this size it is cheaper to copy a body behind its head than to hand the kernel two pieces. */
const COPY_BYTES = 16 * 1024;

/** An answer that waits in memory as it goes over the wire; only its last headers (Date, Age) change, once a second. */
export class ReadyAnswer {
  readonly status: number;
  /** Content-Length included. */
  readonly headers: RawHeaders;
  readonly #head: string;
  #body: Buffer;
  #block: Buffer | undefined;
  #tail = '';

  constructor(status: number, headers: RawHeaders, body: Buffer) {
    this.status = status;
    this.headers = [...headers, 'Content-Length', String(body.length)];
    this.#head = startLine(status) + lines(this.headers);
    this.#body = body;
  }

  get body(): Buffer {
    return this.#body;
  }

  /** Sends the whole answer with these headers behind its own. Returns how many bytes that is. */
  send(response: ServerResponse, tail: RawHeaders, tailText: string): number {
    const block = canSendRaw(response) ? this.whole(tailText) : undefined;
    if (!block) {
      response.writeHead(this.status, [...this.headers, ...tail]).end(this.#body);
      return this.#head.length + tailText.length + this.#body.length;
    }
    response.socket?.write(block);
    endSent(response, this.status);
    return block.length;
  }

  /** The whole answer with these headers behind its own; undefined where it is too large for one piece. */
  whole(tailText: string): Buffer | undefined {
    if (this.#body.length > ONE_PIECE_BYTES) return undefined;
    return this.#tail === tailText && this.#block ? this.#block : this.#join(tailText);
  }

  #join(tailText: string): Buffer {
    const head = Buffer.from(`${this.#head}${tailText}`, 'latin1');
    const block = Buffer.concat([head, this.#body]);
    // The body lives in the block from now on, so that it is in memory once.
    this.#body = block.subarray(head.length);
    this.#block = block;
    this.#tail = tailText;
    return block;
  }
}

/** Headers as text with the empty line behind them. */
export function tailLines(headers: RawHeaders): string {
  return `${lines(headers)}\r\n`;
}

/** A whole head as text. */
export function headText(status: number, headers: RawHeaders): string {
  return `${startLine(status)}${lines(headers)}\r\n`;
}

/** Sends an answer of which all is there. */
export function sendWhole(response: ServerResponse, status: number, head: string, body: Buffer): void {
  const { socket } = response;
  if (body.length <= COPY_BYTES) {
    const block = Buffer.allocUnsafe(head.length + body.length);
    block.write(head, 0, 'latin1');
    body.copy(block, head.length);
    socket?.write(block);
  } else {
    socket?.cork();
    socket?.write(head, 'latin1');
    socket?.write(body);
    socket?.uncork();
  }
  endSent(response, status);
}

function startLine(status: number): string {
  return `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'Unknown'}\r\n`;
}

function lines(headers: RawHeaders): string {
  let text = '';
  for (let index = 0; index < headers.length; index += 2) text += `${headers[index]}: ${headers[index + 1]}\r\n`;
  return text;
}

/**
 * Whether an answer may be written past ServerResponse: it is its turn on the connection (else it has no socket), which
 * stays open afterwards, and nothing was sent.
 */
export function canSendRaw(response: ServerResponse): boolean {
  return response.shouldKeepAlive && response.socket?.writable === true && !response.headersSent;
}

interface OpenResponse {
  _header: string | null;
  _headerSent: boolean;
}

/**
 * Lets ServerResponse end an answer that was written past it, as if head and body had gone through it: connection reuse,
 * pipelining and events stay Node's. Building a head from a list of headers and sending it apart from the body is a third
 * of the cost of a cached answer. The two fields are Node's own; tests hold that this works.
 */
function endSent(response: ServerResponse, status: number): void {
  response.statusCode = status;
  const open = response as unknown as OpenResponse;
  open._header = 'sent';
  open._headerSent = true;
  response.end();
}
