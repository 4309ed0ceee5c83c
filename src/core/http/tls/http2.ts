import { EventEmitter } from 'node:events';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import {
  constants,
  createServer,
  type Http2Server,
  type Http2ServerRequest,
  type Http2ServerResponse,
  type ServerHttp2Session,
} from 'node:http2';
import type { Socket } from 'node:net';
import { MAX_HEADER_BYTES } from '../connections.ts';
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

const STREAMS_AT_ONCE = 128;
const IDLE_MS = 65_000;
const STOP_GRACE_MS = 10_000;

export function http2Requests(handle: RequestListener, { idleMs = IDLE_MS } = {}): Http2Requests {
  const sessions = new Set<ServerHttp2Session>();
  const server: Http2Server = createServer({
    maxSessionInvalidFrames: 100,
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
    if (open === 0) openStreams.delete(session);
    else openStreams.set(session, open);
  };
  server.on('request', (incoming, outgoing) => {
    const session = incoming.stream.session as ServerHttp2Session | undefined;
    if (!session || session.destroyed) return;
    count(session, 1);
    incoming.stream.once('close', () => count(session, -1));
    const translated = translate(incoming, outgoing, session.socket as Socket);
    if (!translated) return void outgoing.writeHead(400).end();
    const { request, response } = translated;
    watchArrival(request, () => incoming.stream.close(constants.NGHTTP2_CANCEL));
    handle(request, response);
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

interface Translated {
  request: IncomingMessage;
  response: ServerResponse;
}

function translate(
  incoming: Http2ServerRequest,
  outgoing: Http2ServerResponse,
  connection: Socket,
): Translated | undefined {
  const headers = { ...incoming.headers };
  const { host } = headers;
  const authority = headers[':authority'] ?? host;
  // Two names for one request are one too many.
  if (authority === undefined || (host !== undefined && host !== authority)) return undefined;
  const raw: string[] = ['Host', authority];
  for (let index = 0; index < incoming.rawHeaders.length; index += 2) {
    const name = incoming.rawHeaders[index] as string;
    if (!name.startsWith(':') && name.toLowerCase() !== 'host')
      raw.push(name, incoming.rawHeaders[index + 1] as string);
  }
  for (const name of Object.keys(headers)) if (name.startsWith(':')) delete headers[name];
  headers.host = authority;
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
      return end?.apply(outgoing, args);
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
