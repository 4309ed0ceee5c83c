import type { FastifyInstance } from 'fastify';
import { showLimit } from '#core/http/admission.ts';
import { showOn } from '#core/http/dispatch.ts';
import { describeApi } from '#core/http/openapi.ts';
import type { Operation } from '#core/http/operation.ts';
import { addressKey } from '#core/http/rate-limits.ts';
import type { Services } from '#core/services.ts';
import { Docs } from './pages.ts';

const RESULTS = 20;

/** The OpenAPI document and the docs, both made for their first reader and not with the service. */
export function serveDocs(app: FastifyInstance, services: Services, operations: readonly Operation[]): void {
  const { baseUrl } = services.config;
  let text: string | undefined;
  let docs: Promise<Docs> | undefined;
  const load = () => {
    // One that failed, for want of descriptors say, is made again.
    docs ??= Docs.make(operations, baseUrl).catch((error) => {
      docs = undefined;
      throw error;
    });
    return docs;
  };

  app.get('/openapi.json', async (_request, reply) => {
    text ??= JSON.stringify(describeApi(operations, baseUrl));
    return reply.type('application/json').header('access-control-allow-origin', '*').send(text);
  });

  app.get<{ Querystring: { q?: unknown } }>('/docs/search', async (request, reply) => {
    showLimit(showOn(reply), services.limits.take('read', addressKey(request.ip)));
    const { q } = request.query;
    const words = typeof q === 'string' ? q : '';
    const known = await load();
    const results = known.search(words, RESULTS);
    reply.header('vary', 'accept');
    if (/\bapplication\/json\b/.test(request.headers.accept ?? '')) return reply.send({ results });
    return services.frontEnd.sendDocs(request, reply, known.searchPage(words, results));
  });

  for (const url of ['/docs', '/docs/*']) {
    app.get(url, async (request, reply) => {
      const path = (request.url.split('?')[0] ?? '').replace(/\/$/, '');
      const known = await load();
      const page = known.page(path);
      if (!page) return services.frontEnd.sendDocs(request, reply.code(404), known.missingPage(path));
      return services.frontEnd.sendDocs(request, reply, page);
    });
  }
}
