import { createHash } from 'node:crypto';
import { type IncomingMessage, type RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Caller } from '#core/auth/caller.ts';
import type { Services } from '#core/services.ts';
import { type Admission, admitAgain } from './admission.ts';
import { fromForeignOrigin } from './asker.ts';
import { requireFreeStream } from './event-stream.ts';
import { foreignOrigin, malformed, upgradeRequired } from './failures.ts';
import { API_PREFIX, type Call, type Operation, type Redeemed } from './operation.ts';

/**
 * WebSockets of the platform itself. A request that asks for one goes the way of every other, with an answer of its own to be
 * refused with; only an operation that is declared as a socket gets the connection, once all the checks were passed.
 */
const asking = new WeakMap<IncomingMessage, { socket: Socket; head: Buffer; response: ServerResponse }>();

/** Whether the request asks for a socket at an address that has one. All others are answered as if they had not asked. */
export function socketAddresses(operations: readonly Operation[]): (request: IncomingMessage) => boolean {
  const paths = operations
    .filter(({ connect }) => connect !== undefined)
    .map(({ path }) => new RegExp(`^${API_PREFIX}${path.replaceAll(/\{\w+\}/g, '[^/?]+')}/?(?:\\?|$)`));
  return ({ method, url = '' }) => method === 'GET' && paths.some((path) => path.test(url));
}

/** Has a request that asks for a socket answered like any other. */
export function passOn(handle: RequestListener, request: IncomingMessage, connection: Duplex, head: Buffer): void {
  const socket = connection as Socket;
  const response = new ServerResponse(request);
  response.shouldKeepAlive = false;
  response.assignSocket(socket);
  asking.set(request, { socket, head, response });
  // Node has let go of the connection, and so have its guards.
  socket.on('error', () => socket.destroy());
  // Servers of HTTP keep a connection that the other side has ended its half of; a socket has no use for the other half.
  socket.on('end', () => socket.destroySoon());
  response.on('finish', () => socket.destroySoon());
  handle(request, response);
}

/** Gives the connection to the operation. It counts as one of the caller's streams, and ends with their rights or with us. */
export async function connectSocket(
  services: Services,
  operation: Operation,
  admission: Admission,
  call: Call,
  incoming: FastifyRequest,
  reply: FastifyReply,
): Promise<unknown> {
  const { raw } = incoming;
  const asked = asking.get(raw);
  if (!asked) throw upgradeRequired();
  if (!/^[\w+/]{22}==$/.test(raw.headers['sec-websocket-key'] ?? '') || raw.headers['sec-websocket-version'] !== '13')
    throw malformed({ message: 'The request is no valid handshake of a WebSocket.' });
  const { socket, head, response } = asked;
  const redeemed = operation.redeem && (await redeemTicket(services, operation.redeem, call, incoming));
  const caller = redeemed?.caller ?? call.callerIfAny;
  if (caller) {
    requireFreeStream(services.events, caller);
    await endWithRights(services, caller, socket, () =>
      redeemed ? redeemed.recheck() : admitAgain(services, operation, admission, call),
    );
    admission.caller = caller;
  }
  reply.hijack();
  response.detachSocket(socket);
  if (socket.destroyed) return reply;
  try {
    await operation.connect?.(call, { request: raw, socket, head, accept: () => accept(raw, socket) });
  } catch (error) {
    socket.destroy();
    throw error;
  }
  return reply;
}

async function redeemTicket(
  services: Services,
  redeem: NonNullable<Operation['redeem']>,
  call: Call,
  request: FastifyRequest,
): Promise<Redeemed> {
  // Programs name no origin, and have no cookies that a page could spend.
  if (fromForeignOrigin(services, request)) throw foreignOrigin();
  const redeemed = await redeem(call);
  call.prepared = redeemed.prepared;
  return redeemed;
}

/** RFC 6455, 4.2.2. */
const MAGIC = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';

function accept({ headers }: IncomingMessage, socket: Socket): void {
  const proof = createHash('sha1').update(`${headers['sec-websocket-key']}${MAGIC}`).digest('base64');
  socket.write(
    `HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: Upgrade\r\nsec-websocket-accept: ${proof}\r\n\r\n`,
  );
}

const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Ends the connection when the rights of its caller do. A change that leaves them, or that was told late, ends nothing. */
async function endWithRights(
  { events }: Services,
  caller: Caller,
  socket: Socket,
  recheck: () => Promise<unknown>,
): Promise<void> {
  // At once: who does not read would keep it open until what waits for them is sent.
  const end = () => void socket.destroy();
  let leave = () => {};
  const watch = async () => {
    let hasBegun = false;
    leave = await events.subscribe({
      caller,
      receive: () => {},
      // Where it ends before it has begun, this process stops.
      end: () => (hasBegun ? void watch().catch(end) : end()),
    });
    hasBegun = true;
    // Whoever left meanwhile is not told again.
    if (socket.destroyed) return leave();
    // Only now could an end not be missed.
    await recheck();
  };
  const { expiresAt } = caller.credential;
  const leftMs = expiresAt && Math.max(0, expiresAt.getTime() - Date.now());
  const expiry = leftMs === null ? undefined : setTimeout(end, Math.min(leftMs, LONGEST_TIMER_MS)).unref();
  socket.once('close', () => {
    leave();
    clearTimeout(expiry);
  });
  await watch();
}
