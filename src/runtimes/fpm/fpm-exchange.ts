import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { bodyPart, RecordReader, requestHead } from './fastcgi.ts';

export interface ExchangeEvents {
  stdout(part: Buffer): void;
  stderr(part: Buffer): void;
}

/** PHP-FPM went away before it had answered. `wasSent`: it may have begun. */
export class ExchangeBroken extends Error {
  readonly wasSent: boolean;
  constructor(wasSent: boolean) {
    super('PHP went away');
    this.wasSent = wasSent;
  }
}

/** Up to this size a body is read before PHP is asked, so that nobody who sends slowly keeps a process waiting. */
const WHOLE_BODY_BYTES = 1024 * 1024;

/** What was sent with a request: all of it, or its beginning and how to get the rest. */
export interface RequestBody {
  first: Buffer;
  rest: AsyncIterator<Buffer> | undefined;
  bytes: number;
}

export async function readBody(request: IncomingMessage): Promise<RequestBody> {
  const length = Number(request.headers['content-length'] ?? Number.NaN);
  const parts = request[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  const chunks: Buffer[] = [];
  let bytes = 0;
  // PHP has to know the length before, so that what comes without one is read to its end.
  while (!(length > WHOLE_BODY_BYTES && bytes >= WHOLE_BODY_BYTES)) {
    const { value, done } = await parts.next();
    if (done) return { first: Buffer.concat(chunks), rest: undefined, bytes };
    chunks.push(value);
    bytes += value.length;
  }
  return { first: Buffer.concat(chunks), rest: parts, bytes: length };
}

/** Sends one request to PHP-FPM; resolves when PHP has ended it, and rejects with ExchangeBroken or what the signal says. */
export async function exchange(
  socket: Socket,
  variables: Record<string, string>,
  body: RequestBody,
  response: ServerResponse,
  events: ExchangeEvents,
  signal: AbortSignal,
): Promise<void> {
  let hasEnded = false;
  let isConnected = false;
  const reader = new RecordReader({ ...events, end: () => (hasEnded = true) });
  const done = new Promise<void>((resolve, reject) => {
    const abort = () => {
      socket.destroy();
      reject(signal.reason);
    };
    signal.addEventListener('abort', abort, { once: true });
    if (signal.aborted) abort();
    socket.once('connect', () => (isConnected = true));
    socket.on('error', () => socket.destroy());
    socket.on('data', (piece: Buffer) => {
      try {
        reader.push(piece);
      } catch (error) {
        socket.destroy();
        reject(error);
      }
    });
    socket.once('close', () => {
      signal.removeEventListener('abort', abort);
      if (hasEnded) resolve();
      else reject(new ExchangeBroken(isConnected));
    });
  });
  // Whoever reads slowly holds PHP up; whoever has gone does not.
  const resume = () => socket.resume();
  response.on('drain', resume).once('close', resume);
  try {
    const sending = send(socket, variables, body);
    sending.catch(() => socket.destroy());
    await done;
  } finally {
    response.off('drain', resume).off('close', resume);
  }
}

async function send(socket: Socket, variables: Record<string, string>, { first, rest }: RequestBody): Promise<void> {
  const start = [requestHead(variables), ...(first.length > 0 ? [bodyPart(first)] : [])];
  if (!rest) return void socket.write(Buffer.concat([...start, bodyPart(Buffer.alloc(0))]));
  socket.write(Buffer.concat(start));
  for (let part = await rest.next(); !part.done; part = await rest.next()) {
    if (!socket.write(bodyPart(part.value))) await drained(socket);
    if (socket.destroyed) return;
  }
  socket.write(bodyPart(Buffer.alloc(0)));
}

function drained(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      socket.off('drain', done).off('close', done);
      resolve();
    };
    socket.once('drain', done).once('close', done);
  });
}
