import { Type } from 'typebox';
import { operation } from '#core/http/operation.ts';
import { PageOf, PageQuery, say, Uuid } from '#core/http/schema.ts';
import { operator, operatorOn } from '#core/policy.ts';
import { findSiteById, siteNotFound } from '#features/instance/instance.ts';
import { Site } from './site.schema.ts';
import { listAllSites } from './site.sql.ts';
import { completeSite, completeSites } from './site.view.ts';

const tag = 'operators';
const findLive = operatorOn(async (db, { site_id }) => {
  const site = await findSiteById(db, String(site_id));
  return site?.kind === 'live' ? site : undefined;
}, siteNotFound);

/** Operators have no role in the team of a site, so what only its members see is empty. */
export const operatorSiteOperations = [
  operation({
    id: 'listAllSites',
    method: 'GET',
    path: '/operator/site',
    tag,
    summary: 'Every site of the platform, those of a team, or those whose name holds a text, newest first',
    access: operator,
    query: Type.Object({
      search: Type.Optional(Type.String({ minLength: 1, maxLength: 253, description: 'A part of the name' })),
      team_id: Type.Optional(say(Uuid, 'Only those of this team')),
      ...PageQuery,
    }),
    response: PageOf(Site),
    async handle({ db, services, caller, query, page }) {
      const { count, rows } = await listAllSites(db, query, query);
      return page(query, count, await completeSites(db, services, caller, rows));
    },
  }),
  operation({
    id: 'getAnySite',
    method: 'GET',
    path: '/operator/site/{site_id}',
    tag,
    summary: 'Any site, by its id',
    access: findLive,
    params: Type.Object({ site_id: Uuid }),
    response: Site,
    handle: ({ db, services, caller, subject }) => completeSite(db, services, caller, subject),
  }),
];
