import { randomUUID, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Server as NetServer } from 'node:net';
import type { Duplex } from 'node:stream';
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify';
import { unauthenticated } from '#core/errors.ts';
import type { Services } from '#core/services.ts';
import { showLimit } from './admission.ts';
import { answerError } from './answers.ts';
import { installBodyParsers, installStreamParser } from './body.ts';
import { type Connections, openConnections } from './connections.ts';
import { trackRequest } from './current-request.ts';
import { registerOperation, showOn } from './dispatch.ts';
import { methodNotAllowed, notReady, routeNotFound } from './failures.ts';
import type { Metrics } from './metrics.ts';
import { API_PREFIX, type Operation, takesStream } from './operation.ts';
import { platformHosts } from './platform-hosts.ts';
import { addressKey } from './rate-limits.ts';
import { collectMethods } from './route-methods.ts';
import type { AnswerAtOnce } from './simple/simple-reader.ts';
import { passOn, socketAddresses } from './sockets.ts';
import { type PlainEntryOptions, plainEntry } from './tls/plain-entry.ts';
import { type Certificates, openTlsFront, type TlsFront } from './tls/tls-front.ts';

export interface SiteListener {
  handle(request: IncomingMessage, response: ServerResponse): void;
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  /** What `handle` would answer, where it is at hand and nothing else is to be done for it. */
  atOnce: AnswerAtOnce;
}

/** For processes that serve no sites: whoever sent the visitor here has to send them to an edge. */
export const NO_SITES: SiteListener = {
  handle: (_request, response) => void response.writeHead(421, { connection: 'close' }).end(),
  upgrade: (_request, socket) => void socket.end('HTTP/1.1 421 Misdirected Request\r\nconnection: close\r\n\r\n'),
  atOnce: () => undefined,
};

export interface ServerOptions {
  services: Services;
  metrics: Metrics;
  operations: readonly Operation[];
  /** The browser's side: dashboard, reference. */
  pages?: (app: FastifyInstance) => void;
  /** Answers for every host that is not the platform's. */
  sites: SiteListener;
  /** Where TLS is spoken, too. */
  secure?: PlainEntryOptions & {
    certificates: Certificates;
    /** What seals the sessions that visitors come back with. */
    ticketKeys: Buffer;
    listen: (server: NetServer, port: number) => Promise<void>;
  };
  ready: () => Promise<boolean>;
}

export function createApp(options: ServerOptions): FastifyInstance {
  const { services, metrics, operations } = options;
  const { config } = services;
  const isPlatform = platformHosts(config.baseUrl);
  const isSocket = socketAddresses(operations);

  let connections: Connections | undefined;
  let front: TlsFront | undefined;
  const app = Fastify({
    loggerInstance: services.log as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'request_id' }),
    genReqId: () => randomUUID(),
    requestIdHeader: false,
    trustProxy: config.trustProxy.length > 0 ? config.trustProxy : false,
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 512 },
    forceCloseConnections: 'idle',
    // What still comes over an open connection while stopping is answered, not refused in words that are not ours.
    return503OnClosing: false,
    serverFactory: (handler) => {
      const { sites, secure } = options;
      const handle: RequestListener = (request, response) =>
        trackRequest(request, () =>
          isPlatform(request.headers.host) ? handler(request, response) : sites.handle(request, response),
        );
      // Where TLS is spoken, whoever comes without may have to be sent there.
      const atOnce: AnswerAtOnce = (visit) =>
        (secure && !visit.isSecure) || isPlatform(visit.headers.host) ? undefined : sites.atOnce(visit);
      connections = openConnections(secure ? plainEntry(secure, handle) : handle, {
        upgrades: {
          // The platform itself speaks HTTP, but for the operations that are sockets.
          takes: (request) =>
            /^websocket$/i.test(request.headers.upgrade ?? '') &&
            (!isPlatform(request.headers.host) || isSocket(request)),
          take: (request, socket, head) =>
            isPlatform(request.headers.host)
              ? passOn(handler, request, socket, head)
              : sites.upgrade(request, socket, head),
        },
        atOnce,
      });
      if (secure) front = openTlsFront(secure, connections.server, { handle, atOnce });
      return connections.server;
    },
    // Malformed requests never reach a route; they get the same kind of answer all the same.
    frameworkErrors: (error, request, reply) => {
      try {
        setHeaders(request, reply);
        answerError(error, request, reply);
      } catch (refusal) {
        answerError(refusal, request, reply);
      }
    },
    clientErrorHandler: (error, socket) => connections?.refuse(error, socket),
  });
  const setHeaders = (request: FastifyRequest, reply: FastifyReply) => {
    reply.header('x-request-id', request.id).headers(SECURITY_HEADERS);
    if (config.baseUrl.startsWith('https:')) reply.header('strict-transport-security', 'max-age=31536000');
    // Operations count against their own limits; whatever else is asked of the API counts as a read.
    const isApi = request.url.startsWith(API_PREFIX);
    if (isApi && !request.routeOptions.config.operation)
      showLimit(showOn(reply), services.limits.take('read', addressKey(request.ip)));
  };

  app.addHook('preClose', async () => {
    front?.closeQuiet();
    connections?.closeQuiet();
  });
  app.decorateRequest('admission', undefined);
  installBodyParsers(app);
  app.setErrorHandler((error, request, reply) => answerError(error, request, reply));
  app.addHook('onRequest', async (request, reply) => {
    setHeaders(request, reply);
    // A body that nobody reads would be answered by a reset at the end, which takes the rest of a long answer along.
    if (request.method === 'GET' || request.method === 'HEAD') request.raw.resume();
  });
  app.addHook('onResponse', async (request, reply) => {
    const operation = request.routeOptions.config.operation?.id ?? request.routeOptions.url ?? 'none';
    metrics.observeRequest(operation, request.method, reply.statusCode, reply.elapsedTime / 1000);
    // Reads that went well are the bulk and tell little.
    const level = request.method === 'GET' && reply.statusCode < 400 ? 'debug' : 'info';
    request.log[level]({ operation, status: reply.statusCode, ms: Math.round(reply.elapsedTime) }, 'request');
  });
  const methodsAt = collectMethods(app);
  app.setNotFoundHandler(async (request) => {
    const methods = methodsAt(request.url);
    throw methods.length > 0 ? methodNotAllowed({ headers: { allow: methods.join(', ') } }) : routeNotFound();
  });

  app.get('/healthz', async () => ({ status: 'alive' }));
  app.get('/readyz', async () => {
    if (!(await options.ready())) throw notReady();
    return { status: 'ready' };
  });
  // Whoever scrapes with the token of the key before goes on until they are told the new one.
  const metricsTokens = config.metricsToken ? [config.metricsToken] : services.secrets.deriveAll('metrics token');
  app.get('/metrics', async (request, reply) => {
    const given = request.headers.authorization ?? '';
    if (!metricsTokens.some((token) => sameText(given, `Bearer ${token}`))) {
      throw unauthenticated({ headers: { 'www-authenticate': 'Bearer' } });
    }
    return reply.type(metrics.contentType).send(await metrics.render());
  });

  app.register(async (api) => {
    for (const operation of operations) if (!takesStream(operation)) registerOperation(api, services, operation);
  });
  app.register(async (api) => {
    installStreamParser(api);
    for (const operation of operations) if (takesStream(operation)) registerOperation(api, services, operation);
  });
  if (options.pages) options.pages(app);
  const { httpsPort } = config;
  const { secure } = options;
  if (secure && httpsPort !== undefined)
    app.addHook('onReady', async () => front && secure.listen(front.server, httpsPort));
  app.addHook('onClose', async () => front?.close());
  return app;
}

const SECURITY_HEADERS = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'strict-origin-when-cross-origin',
  'x-frame-options': 'DENY',
  'cross-origin-opener-policy': 'same-origin',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cache-control': 'no-store',
};

function sameText(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}
