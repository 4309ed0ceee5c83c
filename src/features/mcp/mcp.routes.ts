import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import type { McpHttpHandler, McpServerFactory } from '@modelcontextprotocol/server';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Caller } from '#core/auth/caller.ts';
import { failure, unauthenticated } from '#core/errors.ts';
import { showLimit } from '#core/http/admission.ts';
import { fromForeignOrigin, identifyBearer, readBearer } from '#core/http/asker.ts';
import { bodyOf } from '#core/http/body.ts';
import { showOn } from '#core/http/dispatch.ts';
import { BODY_LIMIT_BYTES } from '#core/http/operation.ts';
import { takeForCaller } from '#core/http/rate-limits.ts';
import type { Services } from '#core/services.ts';
import { RESOURCE_METADATA_PATH } from '#features/oauth/oauth.ts';

const PATH = '/mcp';
/** Programs of 2025 may send several messages at once. */
const MAX_BATCH = 20;

const foreignPage = failure('mcp.foreign_origin', 403, 'A page of another origin may not speak to this address.');
const tooManyMessages = failure('mcp.batch_too_large', 400, `Send at most ${MAX_BATCH} messages at once.`);

/** The platform for programs that speak the Model Context Protocol, over Streamable HTTP and without sessions (docs/decisions/0041). */
export function serveMcp(app: FastifyInstance, services: Services): void {
  serveMcpServer(app, services, async ({ authInfo }) => {
    const { createMcpServer } = await import('./mcp.ts');
    return createMcpServer({ services, ...((authInfo?.extra ?? {}) as { caller: Caller; ip: string }) });
  });
}

export function serveMcpServer(app: FastifyInstance, services: Services, factory: McpServerFactory): void {
  const makeHandler = async () => {
    // With its schemas it is 9 MB of memory: where no such program comes, nobody needs it.
    const { createMcpHandler } = await import('@modelcontextprotocol/server');
    return createMcpHandler(factory, {
      onerror: (error) => services.log.debug({ err: error }, 'a message to the MCP server was refused'),
    });
  };
  let handler: Promise<McpHttpHandler> | undefined;
  app.addHook('preClose', async () => (await handler)?.close());
  app.route({
    method: ['GET', 'POST', 'DELETE'],
    url: PATH,
    bodyLimit: BODY_LIMIT_BYTES,
    // Before the body is read: who may not come in sends none.
    onRequest: async (request, reply) => {
      // A browser that was led to believe that this is another host of its page (DNS rebinding).
      if (fromForeignOrigin(services, request)) throw foreignPage();
      request.mcpCaller = await admit(services, request, reply);
    },
    handler: async (request, reply) => {
      const caller = request.mcpCaller as Caller;
      countMessages(services, request, reply, caller);
      const { id, scopes } = caller.credential;
      const authInfo = { token: '', clientId: id, scopes: [...scopes], extra: { caller, ip: request.ip } };
      // It sees what was counted and nothing else: read anew, bytes that are no UTF-8 would be a message after all.
      const parsedBody = request.method === 'POST' ? bodyOf(request).value : undefined;
      handler ??= makeHandler();
      const asked = toWebRequest(services, request, reply);
      return send(reply, await (await handler).fetch(asked, { authInfo, parsedBody }));
    },
  });
}

async function admit(services: Services, request: FastifyRequest, reply: FastifyReply): Promise<Caller> {
  const caller = await identifyBearer(services, request, 'mcp');
  if (!caller) {
    const wrong = readBearer(request) === undefined ? '' : 'error="invalid_token", ';
    const metadata = `${services.config.baseUrl}${RESOURCE_METADATA_PATH}`;
    const challenge = `Bearer ${wrong}resource_metadata="${metadata}", scope="read plan write"`;
    throw unauthenticated({ headers: { 'www-authenticate': challenge } });
  }
  showLimit(showOn(reply), takeForCaller(services.limits, 'read', caller));
  return caller;
}

/** Each message counts, however many come at once; what a tool does counts besides, as over the API. */
function countMessages(services: Services, request: FastifyRequest, reply: FastifyReply, caller: Caller): void {
  const { value } = bodyOf(request);
  if (!Array.isArray(value)) return;
  if (value.length > MAX_BATCH) throw tooManyMessages();
  for (let more = 1; more < value.length; more++)
    showLimit(showOn(reply), takeForCaller(services.limits, 'read', caller));
}

function toWebRequest({ config }: Services, request: FastifyRequest, reply: FastifyReply): Request {
  const gone = new AbortController();
  reply.raw.once('close', () => gone.abort());
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers))
    if (typeof value === 'string' && name !== 'authorization' && name !== 'cookie') headers.set(name, value);
  return new Request(`${config.baseUrl}${PATH}`, { method: request.method, headers, signal: gone.signal });
}

function send(reply: FastifyReply, response: Response): FastifyReply {
  reply.code(response.status).headers(Object.fromEntries(response.headers));
  if (!response.body) return reply.send();
  return reply.send(Readable.fromWeb(response.body as ReadableStream));
}

declare module 'fastify' {
  interface FastifyRequest {
    mcpCaller?: Caller;
  }
}
