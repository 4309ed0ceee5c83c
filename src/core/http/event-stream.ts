import type { ServerResponse } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Caller } from '#core/auth/caller.ts';
import { failure } from '#core/errors.ts';
import type { EventHub } from '#core/events/hub.ts';
import { EVENT_STREAM } from './operation.ts';

/** Per person and process, whatever they are of: more tabs than anybody keeps open, and few enough to bear. */
const MAX_STREAMS = 30;

export const tooManyStreams = failure(
  'event.too_many_streams',
  429,
  `You have ${MAX_STREAMS} streams open; close some first.`,
  { headers: { 'retry-after': '30' } },
);

/** Takes the answer over; `send` writes to it until the stream ends, and counts it at the hub. */
export async function answerWithStream(
  hub: EventHub,
  caller: Caller,
  request: FastifyRequest,
  reply: FastifyReply,
  send: (response: ServerResponse, lastEventId: string | undefined) => Promise<void>,
): Promise<unknown> {
  const type = `${EVENT_STREAM}; charset=utf-8`;
  if (request.method === 'HEAD') return reply.type(type).send();
  requireFreeStream(hub, caller);
  reply.hijack();
  for (const [name, value] of Object.entries(reply.getHeaders()))
    if (value !== undefined) reply.raw.setHeader(name, value);
  reply.raw.writeHead(200, { 'content-type': type, 'x-accel-buffering': 'no' });
  const lastEventId = request.headers['last-event-id'];
  return send(reply.raw, typeof lastEventId === 'string' ? lastEventId : undefined);
}

export const hasFreeStream = (hub: EventHub, caller: Caller): boolean => hub.streamsOf(caller.userId) < MAX_STREAMS;

export function requireFreeStream(hub: EventHub, caller: Caller): void {
  if (!hasFreeStream(hub, caller)) throw tooManyStreams();
}

/** Resolves when more can be written, or nobody reads any more. */
export function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      response.off('drain', done).off('close', done);
      resolve();
    };
    response.on('drain', done).on('close', done);
    if (response.destroyed) done();
  });
}
