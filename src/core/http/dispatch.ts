import type { ServerResponse } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Services } from '#core/services.ts';
import { type Admission, admit, admitAgain, type Show } from './admission.ts';
import { answerCall } from './answer-call.ts';
import { fromForeignOrigin, identify, readDeviceCookie } from './asker.ts';
import { bodyOf } from './body.ts';
import { answerWithStream } from './event-stream.ts';
import { inParts } from './long-answer.ts';
import { API_PREFIX, bodyLimitOf, type Operation } from './operation.ts';
import { type Incoming, readCall } from './read-call.ts';
import { serializerOf } from './serializers.ts';
import { connectSocket } from './sockets.ts';

/** The way of a call over HTTP. Its first half runs before the body is even read. */
export function registerOperation(app: FastifyInstance, services: Services, operation: Operation): void {
  app.route({
    method: operation.method,
    url: API_PREFIX + operation.path.replaceAll(/\{(\w+)\}/g, ':$1'),
    config: { operation },
    bodyLimit: bodyLimitOf(operation),
    schema: operation.response ? { response: { 200: operation.response } } : {},
    serializerCompiler: ({ schema }) => serializerOf(schema),
    onRequest: async (request, reply) => {
      const asker = await identify(services, operation, request, showOn(reply));
      request.admission = await admit(services, operation, asker, request.params);
    },
    handler: async (request, reply) => {
      const admission = request.admission as Admission;
      // A body takes as long as its sender likes.
      if (operation.method !== 'GET') await admitAgain(services, operation, admission);
      const incoming = readRequest(services, request, reply);
      const call = await readCall(services, operation, admission, incoming);
      const { serve, stream, connect } = operation;
      if (serve) return serve(call, request, reply);
      if (stream) {
        call.prepared = await operation.prepare?.(call);
        return answerWithStream(services.events, call.caller, request, reply, (response, lastEventId) =>
          stream(call, response, lastEventId),
        );
      }
      if (connect) return connectSocket(services, operation, admission, call, request, reply);
      const { status, body } = await answerCall(services, operation, admission, call, incoming);
      const long = status === 200 && operation.response && inParts(body, operation.response);
      return long ? reply.type('application/json; charset=utf-8').send(long) : reply.code(status).send(body);
    },
  });
}

export const showOn =
  (reply: FastifyReply): Show =>
  (headers) =>
    void reply.headers(headers);

export function readRequest(services: Services, request: FastifyRequest, reply: FastifyReply): Incoming {
  const { headers, url, query, ip } = request;
  const wait = /(?:^|[,;\s])wait=(\d{1,4})(?:$|[,;\s])/i.exec(String(headers.prefer ?? ''))?.[1];
  return {
    url,
    query,
    body: bodyOf(request),
    idempotencyKey: headers['idempotency-key'],
    keepsAny: false,
    waitSeconds: wait === undefined ? undefined : Number(wait),
    follow: undefined,
    ip,
    gone: () => goneSignal(reply.raw),
    device: readDeviceCookie(services, request),
    userAgent: headers['user-agent'],
    authorization: headers.authorization,
    takesCookies: !fromForeignOrigin(services, request),
    log: request.log as Services['log'],
    show: showOn(reply),
  };
}

function goneSignal(response: ServerResponse): AbortSignal {
  const gone = new AbortController();
  const look = () => response.writableFinished || gone.abort();
  if (response.destroyed) look();
  else response.once('close', look);
  return gone.signal;
}

declare module 'fastify' {
  interface FastifyRequest {
    admission: Admission | undefined;
  }
  interface FastifyContextConfig {
    operation?: Operation;
  }
}
