import { connect, type Socket } from 'node:net';

/**
 * A load generator on raw sockets: each connection has one request under way and reads just enough of the answer to
 * find its end. Its own CPU is not measured, but the less it takes, the more the server gets of a small machine.
 */
export interface Load {
  port: number;
  /** The whole request as it goes over the wire. */
  request: Buffer;
  connections: number;
  durationMs: number;
}

export interface LoadResult {
  requests: number;
  seconds: number;
  medianMs: number;
}

const CONTENT_LENGTH = /\r\ncontent-length: *(\d+)/i;

export function toRequest(method: string, path: string, headers: Record<string, string>, body?: unknown): Buffer {
  const content = body === undefined ? undefined : JSON.stringify(body);
  const all = {
    host: 'localhost',
    accept: 'application/json',
    ...headers,
    ...(content !== undefined && {
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(content)),
    }),
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${content ?? ''}`);
}

export async function runLoad({ port, request, connections, durationMs }: Load): Promise<LoadResult> {
  const latencies: number[] = [];
  const sockets = await Promise.all(Array.from({ length: connections }, () => dial(port)));
  const startedAt = performance.now();
  const endsAt = startedAt + durationMs;
  await Promise.all(
    sockets.map(async (socket) => {
      const answers = answersOf(socket);
      while (performance.now() < endsAt) {
        const sentAt = performance.now();
        socket.write(request);
        const status = await answers.next();
        if (status !== 200) throw new Error(`the server answered ${status}`);
        latencies.push(performance.now() - sentAt);
      }
    }),
  );
  const seconds = (performance.now() - startedAt) / 1000;
  for (const socket of sockets) socket.destroy();
  return { requests: latencies.length, seconds, medianMs: median(latencies) };
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  const [low, high] = [sorted[Math.ceil(middle) - 1] ?? Number.NaN, sorted[Math.floor(middle)] ?? Number.NaN];
  return (low + high) / 2;
}

/** The value that so many of a hundred do not exceed. */
export function percentile(values: readonly number[], percent: number): number {
  return values.toSorted((a, b) => a - b)[Math.ceil((values.length * percent) / 100) - 1] ?? Number.NaN;
}

async function dial(port: number): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  await new Promise<void>((resolve, reject) => socket.once('connect', resolve).once('error', reject));
  return socket;
}

/** Resolves `next()` with the status once an answer has arrived whole. */
function answersOf(socket: Socket): { next(): Promise<number> } {
  let settle: { resolve: (status: number) => void; reject: (error: Error) => void } | undefined;
  let head = '';
  let status = 0;
  let missing = 0;
  socket.on('data', (chunk) => {
    if (missing > 0) {
      missing -= chunk.length;
    } else {
      head += chunk.toString('latin1');
      const end = head.indexOf('\r\n\r\n');
      if (end < 0) return;
      status = Number(head.slice(9, 12));
      missing = end + 4 + Number(CONTENT_LENGTH.exec(head)?.[1] ?? 0) - head.length;
      head = '';
    }
    if (missing === 0) settle?.resolve(status);
  });
  socket.on('error', (error) => settle?.reject(error));
  socket.on('close', () => settle?.reject(new Error('the server closed the connection')));
  return {
    next: () =>
      new Promise((resolve, reject) => {
        settle = { resolve, reject };
      }),
  };
}
