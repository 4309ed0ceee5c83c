import { EventEmitter } from 'node:events';
import type { IncomingHttpHeaders, IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import {
  constants,
  createServer,
  type IncomingHttpHeaders as Http2Headers,
  type Http2Server,
  type Http2ServerRequest,
  type Http2ServerResponse,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import type { Socket } from 'node:net';
import { MAX_HEADER_BYTES } from '../connections.ts';
import { type AnswerAtOnce, withoutFaults } from '../simple/simple-reader.ts';
import { watchArrival } from '../slow-requests.ts';

/**
 * HTTP/2 for everything behind it that speaks HTTP/1.1: a request is handed over as a gateway would translate it, with its authority as Host and a body
 * without a length as chunked, so that every check of requests stays the one that it is. Node's own compatible objects do most of it.
 */
export interface Http2Requests {
  /** Takes a connection whose handshake chose `h2`. */
  take(connection: Socket): void;
  closeQuiet(): void;
}

/** A site's response may have 64 kB of headers. A larger block would end the connection with all its streams. */
const MAX_SENT_HEADER_BYTES = 128 * 1024;
const STREAMS_AT_ONCE = 128;
const IDLE_MS = 65_000;
const STOP_GRACE_MS = 10_000;

export function http2Requests(
  handle: RequestListener,
  { idleMs = IDLE_MS, atOnce = () => undefined }: { idleMs?: number; atOnce?: AnswerAtOnce } = {},
): Http2Requests {
  const sessions = new Set<ServerHttp2Session>();
  const server: Http2Server = createServer({
    maxSendHeaderBlockLength: MAX_SENT_HEADER_BYTES,
    maxSessionInvalidFrames: 100,
    // A site may say one thing twice, as it may over HTTP/1.1; Node would throw.
    strictSingleValueFields: false,
    maxSessionRejectedStreams: 100,
    settings: {
      maxConcurrentStreams: STREAMS_AT_ONCE,
      maxHeaderListSize: MAX_HEADER_BYTES,
      enableConnectProtocol: false,
    },
  });
  server.on('session', (session) => {
    sessions.add(session);
    session.once('close', () => sessions.delete(session));
    // Streams that wait for an answer keep it; only who does nothing is let go of, also after such a wait.
    session.setTimeout(idleMs);
    session.on('timeout', () => {
      if (openStreams.get(session) === undefined) session.close();
    });
  });
  // Whatever is wrong with a connection ends it, and is told to its streams.
  server.on('sessionError', () => undefined);
  const openStreams = new WeakMap<ServerHttp2Session, number>();
  const count = (session: ServerHttp2Session, by: 1 | -1) => {
    const open = (openStreams.get(session) ?? 0) + by;
    if (open > 0) return void openStreams.set(session, open);
    openStreams.delete(session);
    // A time that was over while one waited does not come again by itself.
    if (!session.destroyed) session.setTimeout(idleMs);
  };
  server.on('request', (incoming, outgoing) => {
    const session = incoming.stream.session as ServerHttp2Session | undefined;
    if (!session || session.destroyed) return;
    count(session, 1);
    incoming.stream.once('close', () => count(session, -1));
    const translated = translate(incoming, outgoing, session.socket as Socket, idleMs);
    if (!translated) return void outgoing.writeHead(400).end();
    const { request, response } = translated;
    watchArrival(request, () => incoming.stream.close(constants.NGHTTP2_CANCEL));
    handle(request, response);
  });
  // A request and a response of Node's cost several times what its streams do.
  const tried = withoutFaults(atOnce);
  const [toNode] = server.listeners('stream') as [(...args: unknown[]) => void];
  server.off('stream', toNode).on('stream', (stream, headers, flags, ...rest) => {
    const answer = (flags & constants.NGHTTP2_FLAG_END_STREAM) > 0 ? atOnceOver(stream, headers, tried) : undefined;
    if (!answer || !send(answer, stream)) return void toNode.call(server, stream, headers, flags, ...rest);
    giveUpWhenStalled(stream, idleMs);
  });
  return {
    take: (connection) => void server.emit('connection', connection),
    closeQuiet() {
      for (const session of sessions) session.close();
      setTimeout(() => {
        for (const session of sessions) session.destroy();
      }, STOP_GRACE_MS).unref();
    },
  };
}

function atOnceOver(stream: ServerHttp2Stream, headers: Http2Headers, atOnce: AnswerAtOnce): Buffer | undefined {
  const socket = stream.session?.socket;
  const url = headers[':path'];
  const host = hostOf(headers);
  if (!socket || host === undefined || headers[':method'] !== 'GET' || !url?.startsWith('/')) return undefined;
  return atOnce({ url, headers: plainHeaders(headers, host), remoteAddress: socket.remoteAddress, isSecure: true });
}

/** An answer of HTTP/1.1 as a stream has it. */
interface StreamAnswer {
  headers: string[];
  body: Buffer;
}

/** Such an answer is one piece of memory for as long as it is the same. */
const streamAnswers = new WeakMap<Buffer, StreamAnswer>();

/** False where it can not be said in HTTP/2: then nothing was sent. */
function send(answer: Buffer, stream: ServerHttp2Stream): boolean {
  let translated = streamAnswers.get(answer);
  if (!translated) {
    translated = toStreamAnswer(answer);
    streamAnswers.set(answer, translated);
  }
  try {
    stream.respond(translated.headers);
  } catch {
    return false;
  }
  // Whoever goes away, or says that something is wrong, has no answer any more; nobody else is to know.
  stream.on('error', () => undefined);
  stream.end(translated.body);
  return true;
}

/** An answer that is all there waits for whoever asked, who may never take it. */
function giveUpWhenStalled(stream: ServerHttp2Stream, idleMs: number): void {
  stream.setTimeout(idleMs, () => stream.close(constants.NGHTTP2_CANCEL));
}

function toStreamAnswer(answer: Buffer): StreamAnswer {
  const end = answer.indexOf('\r\n\r\n');
  const [start = '', ...lines] = answer.toString('latin1', 0, end).split('\r\n');
  const headers = [':status', start.split(' ', 2)[1] ?? ''];
  for (const line of lines) {
    const colon = line.indexOf(': ');
    headers.push(line.slice(0, colon).toLowerCase(), line.slice(colon + 2));
  }
  return { headers, body: answer.subarray(end + 4) };
}

/** Two names for one request are one too many. */
function hostOf({ ':authority': authority, host }: Http2Headers): string | undefined {
  return host === undefined || authority === undefined || host === authority ? (authority ?? host) : undefined;
}

function plainHeaders(headers: Http2Headers, host: string): IncomingHttpHeaders & { host: string } {
  const plain: IncomingHttpHeaders & { host: string } = { host };
  for (const name in headers) if (!name.startsWith(':')) plain[name] = headers[name];
  return plain;
}

interface Translated {
  request: IncomingMessage;
  response: ServerResponse;
}

function translate(
  incoming: Http2ServerRequest,
  outgoing: Http2ServerResponse,
  connection: Socket,
  idleMs: number,
): Translated | undefined {
  const host = hostOf(incoming.headers);
  if (host === undefined) return undefined;
  const headers = plainHeaders(incoming.headers, host);
  const raw: string[] = ['Host', host];
  for (let index = 0; index < incoming.rawHeaders.length; index += 2) {
    const name = incoming.rawHeaders[index] as string;
    if (!name.startsWith(':') && name.toLowerCase() !== 'host')
      raw.push(name, incoming.rawHeaders[index + 1] as string);
  }
  if (!incoming.stream.endAfterHeaders && headers['content-length'] === undefined) {
    headers['transfer-encoding'] = 'chunked';
    raw.push('Transfer-Encoding', 'chunked');
  }
  const socket = new StreamSocket(incoming, connection);
  define(incoming, { headers, rawHeaders: raw, httpVersion: '1.1', httpVersionMajor: 1, httpVersionMinor: 1, socket });
  const response = outgoing as unknown as ServerResponse;
  const { writeHead, write, end } = outgoing as unknown as Record<string, (...args: unknown[]) => unknown>;
  define(outgoing, {
    writeHead(...args: unknown[]) {
      const given = args.at(-1);
      if (typeof given === 'object') socket.bytesWritten += sizeOf(given);
      // It has no words beside its number.
      return writeHead?.call(outgoing, args[0], ...(typeof given === 'object' ? [given] : []));
    },
    write(...args: unknown[]) {
      socket.count(args[0]);
      return write?.apply(outgoing, args);
    },
    end(...args: unknown[]) {
      // Node's own has it written by `write`.
      const ended = end?.apply(outgoing, args);
      giveUpWhenStalled(incoming.stream, idleMs);
      return ended;
    },
  });
  Object.defineProperty(outgoing, 'destroyed', { get: () => incoming.stream.destroyed });
  return { request: incoming as unknown as IncomingMessage, response };
}

function define(target: object, values: Record<string, unknown>): void {
  for (const [name, value] of Object.entries(values))
    Object.defineProperty(target, name, { value, configurable: true, writable: true });
}

function sizeOf(headers: unknown): number {
  return JSON.stringify(headers)?.length ?? 0;
}

/** What one of several requests on a connection knows of it: who is at the other end, and what was sent of its own answer. */
class StreamSocket extends EventEmitter {
  readonly encrypted = true;
  readonly remoteAddress: string | undefined;
  readonly remotePort: number | undefined;
  readonly remoteFamily: string | undefined;
  readonly localAddress: string | undefined;
  readonly localPort: number | undefined;
  bytesWritten = 0;
  readonly #incoming: Http2ServerRequest;

  constructor(incoming: Http2ServerRequest, connection: Socket) {
    super();
    this.#incoming = incoming;
    this.remoteAddress = connection.remoteAddress;
    this.remotePort = connection.remotePort;
    this.remoteFamily = connection.remoteFamily;
    this.localAddress = connection.localAddress;
    this.localPort = connection.localPort;
  }

  get destroyed(): boolean {
    return this.#incoming.stream.destroyed;
  }

  get writable(): boolean {
    return this.#incoming.stream.writable;
  }

  count(chunk: unknown): void {
    if (typeof chunk === 'string') this.bytesWritten += Buffer.byteLength(chunk);
    else if (chunk instanceof Uint8Array) this.bytesWritten += chunk.length;
  }

  setTimeout(ms: number, expired?: () => void): this {
    this.#incoming.stream.setTimeout(ms, expired ?? (() => this.destroy()));
    return this;
  }

  setNoDelay(): this {
    return this;
  }

  setKeepAlive(): this {
    return this;
  }

  destroy(): this {
    this.#incoming.stream.close(constants.NGHTTP2_CANCEL);
    return this;
  }

  destroySoon(): void {
    this.destroy();
  }
}
