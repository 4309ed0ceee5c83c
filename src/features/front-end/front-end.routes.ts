import { extname } from 'node:path';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { formatCursor } from '#core/events/hub.ts';
import { answerAhead } from '#core/http/answer-ahead.ts';
import { readBearer } from '#core/http/asker.ts';
import { type CookieName, readCookies } from '#core/http/cookies.ts';
import type { Visitor } from '#core/http/front-end.ts';
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
    if (path.startsWith('/f/') || path.startsWith('/assets/') || isFile) return reply.callNotFound();
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
  // Each link of a page is compared with its whole address: a long query, which neither page has, made it five times as dear to draw.
  const isDrawn = (path === '/' || isOverview) && path === request.url;
  const chosenTeam = onlyCookie(services, 'team', request);
  return services.frontEnd.sendOwnPage(request, reply, {
    files: path === '/' ? 'home' : isOverview ? 'site' : 'other',
    pictures: isOverview ? [pictureOf(site.fqdn)] : [],
    visitor: isDrawn ? visitorOf(services, chosenTeam, request) : undefined,
    first: firstAnswers(
      path,
      chosenTeam,
      (id, input = {}) => answerAhead(services, id, input, request, reply),
      async () => formatCursor(await services.events.now()),
    ),
  });
}

/** Of two that have one name it can not be told which is whose. */
function onlyCookie({ config }: Services, name: CookieName, { headers }: FastifyRequest): string | undefined {
  const [value, ...others] = readCookies(config.baseUrl, name, headers.cookie);
  return others.length === 0 ? value : undefined;
}

/** Whoever has not been here before has not told their clock: the page would show them other people's times. */
function visitorOf(services: Services, chosenTeam: string | undefined, request: FastifyRequest): Visitor | undefined {
  const clock = readClock(onlyCookie(services, 'clock', request) ?? '');
  if (!clock) return undefined;
  const { protocol } = new URL(services.config.baseUrl);
  const address = `${protocol}//${request.host}${request.url}`;
  // A host is what somebody sent.
  if (!URL.canParse(address)) return undefined;
  return {
    address,
    userAgent: request.headers['user-agent'] ?? '',
    clock,
    chosenTeam,
  };
}

const clocks = new Map<string, Visitor['clock'] | undefined>();
const MOST_CLOCKS = 200;

/** The same object for the same words: what writes dates is made once for each (web/src/ui/clock.ts), which costs more than to write them. */
function readClock(words: string): Visitor['clock'] | undefined {
  if (clocks.has(words) || words.length > 100) return clocks.get(words);
  // Anybody may make up more of them than there are.
  if (clocks.size >= MOST_CLOCKS) clocks.clear();
  // A zone may be told as the hours and minutes from Greenwich.
  const [, locale = '', timeZone = ''] = /^([^:]*):(.*)$/.exec(words) ?? [];
  const clock = { locale, timeZone };
  clocks.set(words, isClock(clock) ? clock : undefined);
  return clocks.get(words);
}

function isClock({ locale, timeZone }: Visitor['clock']): boolean {
  try {
    return new Intl.DateTimeFormat(locale, { timeZone }).format(0) !== '';
  } catch {
    return false;
  }
}
