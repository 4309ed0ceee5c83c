import Fastify, { type FastifyInstance } from 'fastify';

const PAGE_POLICY =
  "default-src 'none'; script-src 'self' 'unsafe-inline' 'unsafe-eval'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; " +
  "font-src 'self' data:; connect-src 'self'; worker-src blob:; frame-ancestors 'none'";

/**
 * The OpenAPI document and its browsable reference, both made for their first reader and not with the service. The
 * reference's script is four megabytes; it lives in an app of its own, which this one asks.
 */
export function serveReference(app: FastifyInstance, describe: () => object): void {
  let text: string | undefined;
  let reference: Promise<FastifyInstance> | undefined;
  const load = async () => {
    const { default: scalar } = await import('@scalar/fastify-api-reference');
    const inner = Fastify();
    await inner.register(scalar, {
      routePrefix: '/docs',
      configuration: {
        url: '/openapi.json',
        pageTitle: 'Siteyard API',
        withDefaultFonts: false,
        telemetry: false,
        hideClientButton: true,
        showDeveloperTools: 'never',
        // These two lead to the vendor's own services.
        agent: { disabled: true },
        mcp: { disabled: true },
      } as object,
    });
    await inner.ready();
    return inner;
  };

  app.get('/openapi.json', async (_request, reply) => {
    text ??= JSON.stringify(describe());
    return reply.type('application/json').header('access-control-allow-origin', '*').send(text);
  });
  for (const url of ['/docs', '/docs/*']) {
    app.get(url, async (request, reply) => {
      // The page names its script relative to itself.
      if (request.url === '/docs') return reply.redirect('/docs/');
      reference ??= load();
      const answer = await (await reference).inject({ method: 'GET', url: request.url });
      reply
        .code(answer.statusCode)
        .header('content-security-policy', PAGE_POLICY)
        .header('cache-control', 'public, max-age=3600');
      return reply.type(String(answer.headers['content-type'] ?? 'text/html')).send(answer.rawPayload);
    });
  }
}
