import { randomUUID } from 'node:crypto';
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { AppError } from '#core/errors.ts';
import { errorBody, helpWith } from './answers.ts';
import { headersTooLarge, malformed, tooLarge, tooSlow } from './failures.ts';
import { type AnswerAtOnce, SimpleReader } from './simple/simple-reader.ts';
import { LONGEST_REQUEST_MS, watchArrival } from './slow-requests.ts';

/**
 * What lies below requests: connections, and what comes over them without ever becoming a request that a route could
 * answer. Such a thing gets the same kind of answer as everything else.
 */
export const MAX_HEADER_BYTES = 32 * 1024;
// Longer than load balancers keep a connection, so that it is them who close it.
const KEEP_ALIVE_MS = 65_000;
const STOP_GRACE_MS = 10_000;
const HEADERS_MS = 60_000;
/** What Node calls it. */
const TOO_SLOW = 'ERR_HTTP_REQUEST_TIMEOUT';

export interface Connections {
  server: Server;
  /** Answers what the parser refused. */
  refuse(error: { code?: string }, socket: Socket): void;
  /**
   * To be called when the server stops. Node waits for a connection that has not sent its request yet, or never will,
   * without end; with this only what is being answered is waited for, and that not for ever.
   */
  closeQuiet(): void;
}

/** What leaves HTTP: whether a request may, and what goes on with its connection. */
interface Upgrades {
  takes(request: IncomingMessage): boolean;
  take(request: IncomingMessage, socket: Duplex, head: Buffer): void;
}

export interface ConnectionOptions {
  upgrades?: Upgrades;
  /** What needs nothing of a request but its head, and is there; all else is for `handle`. */
  atOnce?: AnswerAtOnce;
  requestMs?: number;
}

export function openConnections(
  handle: RequestListener,
  { upgrades, atOnce, requestMs }: ConnectionOptions = {},
): Connections {
  const answering = new Map<Socket, Set<ServerResponse>>();
  const readers = new WeakMap<Socket, SimpleReader>();
  let closing = false;
  // Node would answer a missing Host by itself, with no body.
  const options = {
    maxHeaderSize: MAX_HEADER_BYTES,
    requireHostHeader: false,
    // Most requests have no body, and the stream of one that never comes costs as much as all that we do for a page in memory.
    optimizeEmptyRequests: true,
    headersTimeout: HEADERS_MS,
    // Almost every request has less (slow-requests.ts).
    requestTimeout: LONGEST_REQUEST_MS,
    // An upgrade that nobody takes may be ignored, and the request is answered as if it had not asked. So is one that
    // comes before the requests ahead of it are answered: the connection is still theirs.
    shouldUpgradeCallback: (request: IncomingMessage) =>
      (upgrades?.takes(request) ?? false) && [...(answering.get(request.socket) ?? [])].every(isOver),
  };
  const server = createServer(options, (request, response) => {
    const responses = answering.get(request.socket);
    // Those that have ended go when the next one comes: a listener on each would cost every request.
    for (const each of responses ?? []) if (isOver(each)) responses?.delete(each);
    responses?.add(response);
    const reader = readers.get(request.socket);
    if (reader) response.once('close', () => reader.answered());
    if (closing) endAfter(request.socket, response);
    watchArrival(request, () => refuse({ code: TOO_SLOW }, request.socket), requestMs);
    if (request.headers.host === undefined && request.httpVersion === '1.1') answerPlainly(response, malformed());
    else handle(request, response);
  });
  if (upgrades) server.on('upgrade', (request, socket, head) => upgrades.take(request, socket, head));
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  const [toNode] = server.listeners('connection') as [(socket: Socket) => void];
  server.off('connection', toNode).on('connection', (socket: Socket) => {
    answering.set(socket, new Set());
    socket.once('close', () => answering.delete(socket));
    const take = (taken: Socket) => toNode.call(server, taken);
    if (!atOnce) return take(socket);
    const answer: AnswerAtOnce = (visit) => {
      try {
        // Of a process that stops, nobody keeps the connection.
        return closing ? undefined : atOnce(visit);
      } catch {
        // It meets the same fault there, and is told.
        return undefined;
      }
    };
    readers.set(socket, new SimpleReader(socket, { answer, toNode: take, idleMs: KEEP_ALIVE_MS }));
  });
  // An expectation that nobody knows may be ignored; Node would answer it by itself.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));

  // A client would keep the connection for its next request, which this process will not answer.
  const endAfter = (socket: Socket, response: ServerResponse) =>
    response.once('close', () => {
      if ([...(answering.get(socket) ?? [])].every(isOver)) socket.end();
    });

  const refuse: Connections['refuse'] = (error, socket) => {
    const pending = [...(answering.get(socket) ?? [])].filter((response) => !isOver(response));
    const begun = pending.some((response) => response.headersSent);
    if (socket.writable && !begun && error.code !== 'ECONNRESET') socket.write(toText(fromParser(error.code)));
    socket.destroy();
  };

  return {
    server,
    refuse,
    closeQuiet() {
      closing = true;
      for (const [socket, responses] of answering) {
        const pending = [...responses].filter((response) => !isOver(response));
        // What was answered may still be on its way to a slow reader.
        if (pending.length === 0) socket.destroySoon();
        for (const response of pending) endAfter(socket, response);
      }
      setTimeout(() => {
        for (const socket of answering.keys()) socket.destroy();
      }, STOP_GRACE_MS).unref();
    },
  };
}

function isOver(response: ServerResponse): boolean {
  return response.writableFinished || response.destroyed;
}

function fromParser(code: string | undefined): AppError {
  if (code === 'HPE_HEADER_OVERFLOW') return headersTooLarge();
  if (code === 'HPE_CHUNK_EXTENSIONS_OVERFLOW') return tooLarge();
  if (code === TOO_SLOW) return tooSlow();
  return malformed();
}

function answerPlainly(response: ServerResponse, error: AppError): void {
  const { headers, body } = plain(error);
  response.writeHead(error.status, headers).end(body);
}

function toText(error: AppError): string {
  const { headers, body } = plain(error);
  const lines = Object.entries(headers).map((header) => header.join(': '));
  return `HTTP/1.1 ${error.status} ${STATUS_CODES[error.status]}\r\n${lines.join('\r\n')}\r\n\r\n${body}`;
}

function plain(error: AppError): { headers: Record<string, string>; body: string } {
  const body = JSON.stringify(errorBody(error));
  const headers = {
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(Buffer.byteLength(body)),
    'x-request-id': randomUUID(),
    ...helpWith(error),
    connection: 'close',
  };
  return { headers, body };
}
