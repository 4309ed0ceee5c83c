import { Type } from 'typebox';
import { operation } from '#core/http/operation.ts';
import { OneOf, PageOf, PageQuery, say, Uuid } from '#core/http/schema.ts';
import { inTeam } from '#core/policy.ts';
import { SITE_USAGE_ORDERS, SiteUse, TeamUsage, UsageQuery } from './usage.schema.ts';
import { listSiteUse } from './usage.sql.ts';
import { getTeamUsage } from './usage.ts';

export const usageOperations = [
  operation({
    id: 'getTeamUsage',
    method: 'GET',
    path: '/team/{team_id}/usage',
    tag: 'teams',
    summary: 'Visits and bytes of a team by hour or by day',
    access: inTeam('viewer'),
    params: Type.Object({ team_id: Uuid }),
    query: UsageQuery,
    response: TeamUsage,
    handle: ({ db, subject: teamId, query }) => getTeamUsage(db, teamId, query),
  }),
  operation({
    id: 'listSiteUse',
    method: 'GET',
    path: '/team/{team_id}/site_use',
    tag: 'teams',
    summary: 'What each site of a team uses in this billing cycle, the most first',
    access: inTeam('viewer'),
    params: Type.Object({ team_id: Uuid }),
    query: Type.Object({
      order_by: Type.Optional(
        say(OneOf(SITE_USAGE_ORDERS), 'By what they are sorted; by visits unless it says otherwise'),
      ),
      ...PageQuery,
    }),
    response: PageOf(SiteUse),
    async handle({ db, subject: teamId, query, page }) {
      const { count, rows } = await listSiteUse(db, teamId, query.order_by ?? 'visits', query);
      return page(query, count, rows);
    },
  }),
];
