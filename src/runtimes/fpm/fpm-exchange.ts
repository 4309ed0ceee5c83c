import { type FileHandle, open, unlink } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { bodyParts, RecordReader, requestHead } from './fastcgi.ts';

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
const PIECE_BYTES = 64 * 1024;
const BODY_END = bodyParts(Buffer.alloc(0));

/** What was sent with a request: all of it, or its beginning and how to get the rest. */
export interface RequestBody {
  first: Buffer;
  rest: AsyncIterator<Buffer> | undefined;
  bytes: number;
  /** When nobody wants it any more. */
  close(): Promise<void>;
}

/** `newFile`: a path that nobody has, for what is long and does not say how long. */
export async function readBody(request: IncomingMessage, newFile: () => string): Promise<RequestBody> {
  const length = Number(request.headers['content-length'] ?? Number.NaN);
  const parts = request[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  const close = async () => {};
  let first: Buffer = Buffer.alloc(0);
  let bytes = 0;
  while (bytes <= WHOLE_BODY_BYTES) {
    const { value, done } = await parts.next();
    if (done) return { first: first.subarray(0, bytes), rest: undefined, bytes, close };
    first = append(first, bytes, value);
    bytes += value.length;
  }
  first = first.subarray(0, bytes);
  if (length > 0) return { first, rest: parts, bytes: length, close };
  // PHP has to know the length before, so that what comes without one is read to its end.
  const spooled = await spool(parts, newFile());
  return { ...spooled, first, bytes: bytes + spooled.bytes };
}

/** It may come in a great many small parts: they are put together as they come. */
function append(buffer: Buffer, bytes: number, part: Buffer): Buffer {
  const needed = bytes + part.length;
  const room = needed <= buffer.length ? buffer : Buffer.allocUnsafe(Math.max(needed, buffer.length * 2));
  if (room !== buffer) buffer.copy(room, 0, 0, bytes);
  part.copy(room, bytes);
  return room;
}

/** Reads all of it into a file that has no name any more. */
async function spool(parts: AsyncIterator<Buffer>, path: string): Promise<Omit<RequestBody, 'first'>> {
  const file = await open(path, 'wx+', 0o600);
  try {
    await unlink(path);
    let bytes = 0;
    for (let part = await parts.next(); !part.done; part = await parts.next()) {
      await file.writeFile(part.value);
      bytes += part.value.length;
    }
    return { rest: readAll(file), bytes, close: () => file.close() };
  } catch (error) {
    await file.close();
    throw error;
  }
}

async function* readAll(file: FileHandle): AsyncGenerator<Buffer> {
  for (let at = 0; ; ) {
    const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(PIECE_BYTES), 0, PIECE_BYTES, at);
    if (bytesRead === 0) return;
    at += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
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
  write(socket, [requestHead(variables), ...(first.length > 0 ? bodyParts(first) : []), ...(rest ? [] : BODY_END)]);
  if (!rest) return;
  for (let part = await rest.next(); !part.done; part = await rest.next()) {
    if (!write(socket, bodyParts(part.value))) await drained(socket);
    if (socket.destroyed) return;
  }
  write(socket, BODY_END);
}

/** All at once. Whether there is room for more. */
function write(socket: Socket, parts: readonly Buffer[]): boolean {
  socket.cork();
  const haveRoom = parts.map((part) => socket.write(part));
  socket.uncork();
  return haveRoom.at(-1) ?? true;
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
