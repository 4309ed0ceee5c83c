import { Type } from 'typebox';
import { type Fault, invalid } from '#core/errors.ts';
import { operation } from '#core/http/operation.ts';
import { PageOf, PageQuery, say, Uuid } from '#core/http/schema.ts';
import { operator } from '#core/policy.ts';
import { Event } from '#features/event/event.schema.ts';
import { listAnyEvents } from '#features/event/event.ts';
import { findSiteById, siteNotFound } from '#features/instance/instance.ts';
import { teamIdsOf } from '#features/team/team.ts';
import { Overview } from './overview.schema.ts';
import { overviewOf } from './overview.ts';

const tag = 'operators';
const oneOfThem: Fault = {
  loc: ['query', 'user_id'],
  msg: 'Value error, name one of user_id, team_id and site_id',
  type: 'value_error',
};

export const overviewOperations = [
  operation({
    id: 'getPlatformOverview',
    method: 'GET',
    path: '/operator/overview',
    tag,
    summary: 'The whole platform at a glance: capacity, latency, queue, revenue, certificates and backups',
    access: operator,
    response: Overview,
    handle: ({ db, services }) => overviewOf(db, services),
  }),
  operation({
    id: 'listAnyEvents',
    method: 'GET',
    path: '/operator/event',
    tag,
    summary: 'What happened to a person and their teams, in a team, or to a site, newest first',
    access: operator,
    query: Type.Object({
      user_id: Type.Optional(say(Uuid, 'Of this person: their account and their teams')),
      team_id: Type.Optional(say(Uuid, 'Of this team')),
      site_id: Type.Optional(say(Uuid, 'Of this site, while it was of the team that it is of now')),
      ...PageQuery,
    }),
    response: PageOf(Event),
    errors: [siteNotFound],
    async handle({ db, caller, query, page }) {
      const { user_id, team_id, site_id } = query;
      if ([user_id, team_id, site_id].filter((id) => id !== undefined).length !== 1) throw invalid(oneOfThem);
      const list = async () => {
        if (user_id !== undefined)
          return listAnyEvents(db, caller, { user_id, teamIds: await teamIdsOf(db, user_id) }, query);
        if (team_id !== undefined) return listAnyEvents(db, caller, { team_id }, query);
        const site = await findSiteById(db, String(site_id));
        if (!site) throw siteNotFound();
        return listAnyEvents(db, caller, { site_id: site.id, team_id: site.team_id }, query);
      };
      const { count, events } = await list();
      return page(query, count, events);
    },
  }),
];
