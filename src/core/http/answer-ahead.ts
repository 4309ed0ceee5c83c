import { parse } from 'node:querystring';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Caller } from '#core/auth/caller.ts';
import type { Services } from '#core/services.ts';
import { admit } from './admission.ts';
import { answerCall } from './answer-call.ts';
import { identify } from './asker.ts';
import { readRequest } from './dispatch.ts';
import { addressOf, type Input } from './invoke.ts';
import { inParts } from './long-answer.ts';
import { readCall } from './read-call.ts';
import { serializerOf } from './serializers.ts';

export interface AheadAnswer {
  /** Path and query, as a client would ask for it. */
  address: string;
  body: unknown;
  json: string;
  caller: Caller | undefined;
}

/**
 * What a reading operation answers to whoever asks for a page: the way of a call over HTTP, with the request's own cookies and address, so that
 * it counts, is let in and is refused as if the page had asked by itself. It throws what the call would have been refused with. An answer that
 * would be sent in parts is undefined: to write it in one go would let everybody else wait.
 */
export async function answerAhead(
  services: Services,
  id: string,
  { params = {}, query = {} }: Pick<Input, 'params' | 'query'>,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<AheadAnswer | undefined> {
  const operation = services.operations.get(id);
  if (!operation?.response || operation.method !== 'GET') throw new TypeError(`${id} is no operation that reads`);
  const url = addressOf(operation, { params, query });
  // What the answer says of limits and cookies belongs to its own headers, and the page has none to put it in.
  const incoming = {
    ...readRequest(services, request, reply),
    url,
    query: parse(url.split('?')[1] ?? ''),
    show: () => {},
  };
  const asker = await identify(services, operation, request, incoming.show);
  const admission = await admit(services, operation, asker, params);
  const call = await readCall(services, operation, admission, incoming);
  const { body } = await answerCall(services, operation, admission, call, incoming);
  if (inParts(body, operation.response)) return undefined;
  return { address: url, body, json: serializerOf(operation.response)(body), caller: admission.caller };
}
