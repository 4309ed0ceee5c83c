import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { TLSSocket } from 'node:tls';
import { serialize } from 'node:v8';
import { siteHostParts } from '#core/cluster.ts';
import type { Fault } from '#core/errors.ts';
import { compileReader, type Reader } from '#core/http/validation.ts';
import { opened, type Part } from '#core/part.ts';
import { PLATFORM } from '#core/platform-door.ts';
import type { Services } from '#core/services.ts';
import { Shares } from '#core/shares.ts';
import { nextTurn } from '#core/turns.ts';
import { listeningOptions } from '#host/wire/host-address.ts';
import { nameIn, wireIdentity } from '#host/wire/identity.ts';
import { type Asker, NotYours, podHandlers } from './answer-pods.ts';
import { NEWS, POD_CALLS, type PodCall } from './pod-calls.ts';
import { PodNewsFeed } from './pod-news.ts';

/** Reading what is sent keeps everybody else. Only who restores a site that was lost has much to say: all that is kept of it. */
const MAX_BODY_BYTES = 1024 * 1024;
const MAX_RESTORE_BYTES = 8 * 1024 * 1024;
/** It is kept as it comes. */
const MAX_READING_BYTES = 4 * 1024;
const MAX_BYTES: Partial<Record<PodCall, number>> = { restoreLost: MAX_RESTORE_BYTES, reading: MAX_READING_BYTES };
/** A pod that asks for more at a time is out of order, and so is one with more connections: its processes keep some of them open. */
const CALLS_AT_ONCE = 32;
const CONNECTIONS_AT_ONCE = 128;
const HANDSHAKE_MS = 5_000;

/** Workers hear the pods of sites, where sites are on clusters. */
export const podDoor: Part = {
  name: 'the door for the pods of sites',
  stage: 'serve',
  roles: ['worker'],
  start: async (services) =>
    services.config.podDoorAddress === undefined
      ? undefined
      : opened(new PodDoor(services, services.config.podDoorAddress)),
};

/**
 * HTTP with certificates on both sides. A pod is not trusted: what it sends is JSON that a schema has looked at, what it is about is decided
 * by the name in its certificate, and one that asks without end waits for itself alone.
 */
class PodDoor {
  readonly #services: Services;
  readonly #address: string;
  readonly #server: Server;
  readonly #news: PodNewsFeed;
  readonly #handlers: ReturnType<typeof podHandlers>;
  readonly #readers = new Map<string, Reader>();
  readonly #asking = new Map<string, number>();
  readonly #connections = new Shares(CONNECTIONS_AT_ONCE);

  constructor(services: Services, address: string) {
    this.#services = services;
    this.#address = address;
    this.#news = new PodNewsFeed(services);
    this.#handlers = podHandlers(services);
    for (const [name, schema] of Object.entries(POD_CALLS)) this.#readers.set(name, compileReader('body', schema));
    const { tls } = wireIdentity(services.secrets.deriveLasting, PLATFORM);
    this.#server = createServer(
      { ...tls, requestCert: true, rejectUnauthorized: true, handshakeTimeout: HANDSHAKE_MS },
      (request, response) => void this.#take(request, response),
    );
    this.#server.on('secureConnection', (socket) => this.#count(socket));
    this.#server.on('tlsClientError', (error: Error) => services.log.debug({ err: error }, 'no pod of a site'));
  }

  async open(): Promise<void> {
    await this.#news.start();
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject).listen(listeningOptions(this.#address), () => resolve());
    });
  }

  async close(): Promise<void> {
    this.#news.close();
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeIdleConnections();
    // What is being answered is seconds at most; a restore that is waited for is asked for again.
    setTimeout(() => this.#server.closeAllConnections(), HANDSHAKE_MS).unref();
    await closed;
  }

  #count(socket: TLSSocket): void {
    const release = this.#connections.take(nameIn(socket.getPeerCertificate().subjectaltname) ?? '');
    if (release) socket.once('close', release);
    else socket.destroy();
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const asker = this.#askerOf(request);
    const call = request.url?.slice(1) ?? '';
    if (!asker) return refuse(response, 403, 'this door is for the pods of sites');
    if (request.method !== 'POST') return refuse(response, 405, 'POST');
    if (call === NEWS) return this.#news.tell(asker.host, response);
    if (!isPodCall(call)) return refuse(response, 404, 'there is no such call');
    const asked = this.#asking.get(asker.host) ?? 0;
    if (asked >= CALLS_AT_ONCE) return refuse(response, 429, 'too many calls at a time');
    this.#asking.set(asker.host, asked + 1);
    try {
      await this.#answer(asker, call, request, response);
    } catch (error) {
      if (error instanceof NotYours) return refuse(response, 403, error.message);
      this.#services.log.warn({ err: error, call, host: asker.host }, 'the pod of a site could not be answered');
      refuse(response, 500, 'that did not work');
    } finally {
      const left = (this.#asking.get(asker.host) ?? 1) - 1;
      if (left > 0) this.#asking.set(asker.host, left);
      else this.#asking.delete(asker.host);
    }
  }

  async #answer(asker: Asker, call: PodCall, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await readBody(request, MAX_BYTES[call] ?? MAX_BODY_BYTES);
    if (body === undefined) return refuse(response, 413, 'that is too much');
    // Between what two of them sent others have their turn.
    await nextTurn();
    const faults: Fault[] = [];
    const input = this.#readers.get(call)?.(parse(body), faults);
    if (faults.length > 0) return refuse(response, 422, JSON.stringify(faults.slice(0, 5)));
    const answer = await (this.#handlers[call] as (input: unknown, asker: Asker) => Promise<unknown>)(input, asker);
    response.writeHead(200).end(serialize(answer));
  }

  /** The certificate is of our authority: the handshake has seen to that. */
  #askerOf({ socket }: IncomingMessage): Asker | undefined {
    const host = nameIn((socket as TLSSocket).getPeerCertificate().subjectaltname);
    const parts = host === undefined ? undefined : siteHostParts(host);
    return host !== undefined && parts && this.#services.clusters.has(parts.cluster)
      ? { host, siteId: parts.siteId }
      : undefined;
  }
}

const isPodCall = (name: string): name is PodCall => Object.hasOwn(POD_CALLS, name);

function refuse(response: ServerResponse, status: number, words: string): void {
  // The rest of what was not read would be the beginning of the next request.
  if (!response.headersSent) response.writeHead(status, { connection: 'close' }).end(words);
}

async function readBody(request: IncomingMessage, maxBytes: number): Promise<Buffer | undefined> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    bytes += part.length;
    if (bytes > maxBytes) return undefined;
    parts.push(part);
  }
  return Buffer.concat(parts);
}

function parse(body: Buffer): unknown {
  try {
    const value: unknown = JSON.parse(body.toString());
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
}
