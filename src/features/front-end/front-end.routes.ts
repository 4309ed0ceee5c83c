import { extname } from 'node:path';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { formatCursor } from '#core/events/hub.ts';
import { answerAhead } from '#core/http/answer-ahead.ts';
import { readBearer } from '#core/http/asker.ts';
import { readCookies } from '#core/http/cookies.ts';
import { routeNotFound } from '#core/http/failures.ts';
import { rawOperation } from '#core/http/operation.ts';
import { anyone } from '#core/policy.ts';
import type { Services } from '#core/services.ts';
import { firstAnswers, pictureOf, siteIn } from './first-answers.ts';

export const frontEndOperations = [
  rawOperation({
    id: 'getFrontEnd',
    method: 'GET',
    path: '/fastapi',
    tag: 'front end',
    summary: 'The web application',
    access: anyone,
    produces: 'text/html',
    serve: async ({ services }, request, reply) => services.frontEnd.sendPage(request, reply),
  }),
];

/** The files of the dashboard, and its page at every address of its own router. */
export function serveFrontEnd(app: FastifyInstance, services: Services): void {
  const { frontEnd } = services;
  app.get('/*', async (request, reply) => {
    const path = request.url.split('?')[0] ?? '/';
    const file = frontEnd.sendFile(request, reply, path);
    if (file) return file;
    // A site's page ends with the site's name, whose last label is no file's ending.
    const isFile = extname(path) !== '' && !path.startsWith('/sites/');
    if (path.startsWith('/f/') || path.startsWith('/assets/') || isFile) throw routeNotFound();
    return opensPage(services, request)
      ? sendOwnPage(services, path, request, reply)
      : frontEnd.sendPage(request, reply);
  });
}

/** Whether a browser with a session opens a page: nobody else has a use for what is in it. */
function opensPage({ config: { baseUrl } }: Services, request: FastifyRequest): boolean {
  const { method, headers } = request;
  if (method !== 'GET' || readBearer(request) !== undefined) return false;
  if (readCookies(baseUrl, 'session', headers.cookie).length === 0) return false;
  // Browsers say so where the connection is one that they trust. What is asked for before anybody wants it would be old when it is shown.
  const isOpened = (headers['sec-fetch-dest'] ?? 'document') === 'document';
  return isOpened && headers['sec-purpose'] === undefined && headers.purpose === undefined;
}

function sendOwnPage(services: Services, path: string, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const site = siteIn(path);
  const isStage = (request.query as { env?: string }).env === 'staging';
  const isOverview = site?.isOverview === true && !isStage;
  const [chosen, ...others] = readCookies(services.config.baseUrl, 'team', request.headers.cookie);
  return services.frontEnd.sendOwnPage(request, reply, {
    files: path === '/' ? 'home' : isOverview ? 'site' : 'other',
    pictures: isOverview ? [pictureOf(site.fqdn)] : [],
    first: firstAnswers(
      path,
      others.length === 0 ? chosen : undefined,
      (id, input = {}) => answerAhead(services, id, input, request, reply),
      async () => formatCursor(await services.events.now()),
    ),
  });
}
