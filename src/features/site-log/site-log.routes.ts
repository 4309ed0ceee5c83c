import { Type } from 'typebox';
import { operation, rawOperation } from '#core/http/operation.ts';
import { Fqdn } from '#core/http/schema.ts';
import { onSite } from '#features/site/site.ts';
import { LogQuery, SiteLogPage, tooManyLogStreams } from './site-log.schema.ts';
import { streamSiteLog } from './site-log.stream.ts';
import { readSiteLog } from './site-log.ts';

const tag = 'sites';
const SitePath = Type.Object({ fqdn: Fqdn });
/** Of one person and process, those of events included. */
const MAX_STREAMS = 30;
const { kind, search, status } = LogQuery.properties;

/**
 * For members and above, as all that tells more of a site than how it is: an error can hold whatever the site's code had in its
 * hands, and a visit says who came from where.
 */
export const siteLogOperations = [
  operation({
    id: 'listSiteLog',
    method: 'GET',
    path: '/site/{fqdn}/log',
    tag,
    summary: 'What went wrong in a site, or who visited it, newest first; kept for 7 days',
    access: onSite('member'),
    assistant: true,
    params: SitePath,
    query: LogQuery,
    response: SiteLogPage,
    handle: ({ services, subject: site, query }) => readSiteLog(services.siteLog, site.id, query),
  }),
  rawOperation({
    id: 'streamSiteLog',
    method: 'GET',
    path: '/site/{fqdn}/log/stream',
    tag,
    summary: 'The log of a site as it is written (Server-Sent Events); continues after Last-Event-ID',
    access: onSite('member'),
    params: SitePath,
    query: Type.Object({ kind, search, status }),
    produces: 'text/event-stream',
    errors: [tooManyLogStreams],
    async serve({ caller, services, subject: site, query }, request, reply) {
      if (request.method === 'HEAD') return reply.type('text/event-stream; charset=utf-8').send();
      if (services.events.streamsOf(caller.userId) >= MAX_STREAMS) throw tooManyLogStreams();
      const lastEventId = request.headers['last-event-id'];
      reply.hijack();
      for (const [name, value] of Object.entries(reply.getHeaders()))
        if (value !== undefined) reply.raw.setHeader(name, value);
      reply.raw.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'x-accel-buffering': 'no' });
      const place = typeof lastEventId === 'string' ? lastEventId : undefined;
      await streamSiteLog(services, caller, site, query, place, reply.raw);
    },
  }),
];
