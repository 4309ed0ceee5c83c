import type { IncomingMessage } from 'node:http';

/** The whole request, its body included, has to be there by then. */
const REQUEST_MS = 120_000;
/** The same for what an operation takes its time for. */
export const LONGEST_REQUEST_MS = 3_600_000;
/** Who sends nothing for so long meanwhile is gone. */
const QUIET_MS = 30_000;

interface Deadline {
  timer: NodeJS.Timeout;
  expire(): void;
}

const deadlines = new WeakMap<IncomingMessage, Deadline>();

/** Node has one such time for all requests of a server; here each has its own. */
export function watchArrival(request: IncomingMessage, expire: () => void, ms = REQUEST_MS): void {
  const { headers } = request;
  if (headers['content-length'] === undefined && headers['transfer-encoding'] === undefined) return;
  const deadline = { timer: begin(request, expire, ms), expire };
  deadlines.set(request, deadline);
  request.once('close', () => clearTimeout(deadline.timer));
}

function begin(request: IncomingMessage, expire: () => void, ms: number): NodeJS.Timeout {
  return setTimeout(() => {
    if (!request.complete) expire();
  }, ms).unref();
}

/** Gives a large body more time, while it comes. */
export async function whileArriving<T>(request: IncomingMessage, work: () => Promise<T>): Promise<T> {
  const { socket } = request;
  renew(request, LONGEST_REQUEST_MS);
  socket.setTimeout(QUIET_MS);
  try {
    return await work();
  } finally {
    socket.setTimeout(0);
    renew(request, REQUEST_MS);
  }
}

function renew(request: IncomingMessage, ms: number): void {
  const deadline = deadlines.get(request);
  if (!deadline) return;
  clearTimeout(deadline.timer);
  if (!request.destroyed) deadline.timer = begin(request, deadline.expire, ms);
}
