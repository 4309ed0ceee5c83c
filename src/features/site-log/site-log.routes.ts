import { Type } from 'typebox';
import { operation, streamOperation } from '#core/http/operation.ts';
import { Fqdn, PageOf } from '#core/http/schema.ts';
import { onSite, siteOrStage, stageMissing } from '#features/instance/instance.ts';
import { listErrors } from './site-errors.ts';
import { LogQuery, SiteError, SiteErrorsQuery, SiteLogPage } from './site-log.schema.ts';
import { streamSiteLog } from './site-log.stream.ts';
import { readSiteLog } from './site-log.ts';

const tag = 'sites';
const SitePath = Type.Object({ fqdn: Fqdn });
const { kind, search, status, method, path, min_duration_ms, stage } = LogQuery.properties;

/**
 * For members and above, as all that tells more of a site than how it is: an error can hold whatever the site's code had in its
 * hands, and a visit says who came from where.
 */
export const siteLogOperations = [
  operation({
    id: 'listSiteLog',
    showsContent: true,
    method: 'GET',
    path: '/site/{fqdn}/log',
    tag,
    summary:
      'What went wrong in a site, or who visited it, newest first; kept for 7 days, or as long as the operator says',
    access: onSite('member'),
    assistant: true,
    params: SitePath,
    query: LogQuery,
    response: SiteLogPage,
    errors: [stageMissing],
    handle: async ({ db, services, subject, query }) =>
      readSiteLog(services.hosts, await siteOrStage(db, subject, query.stage), query),
  }),
  operation({
    id: 'listSiteErrors',
    showsContent: true,
    method: 'GET',
    path: '/site/{fqdn}/log/error',
    tag,
    summary: 'The errors of a site, each once: how often it happened, where, and when it began; the last ones first',
    access: onSite('member'),
    assistant: true,
    params: SitePath,
    query: SiteErrorsQuery,
    response: PageOf(SiteError),
    errors: [stageMissing],
    async handle({ db, services, subject, query, page }) {
      const site = await siteOrStage(db, subject, query.stage);
      const { count, results } = await listErrors(services.hosts, site, query);
      return page(query, count, results);
    },
  }),
  streamOperation({
    id: 'streamSiteLog',
    method: 'GET',
    path: '/site/{fqdn}/log/stream',
    tag,
    summary: 'The log of a site as it is written (Server-Sent Events); continues after Last-Event-ID',
    access: onSite('member'),
    params: SitePath,
    query: Type.Object({ kind, search, status, method, path, min_duration_ms, stage }),
    errors: [stageMissing],
    prepare: ({ db, subject, query }) => siteOrStage(db, subject, query.stage),
    stream: ({ caller, services, prepared: site, query }, response, lastEventId) =>
      streamSiteLog(services, caller, site, query, lastEventId, response),
  }),
];
