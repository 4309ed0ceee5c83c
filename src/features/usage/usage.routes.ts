import { Type } from 'typebox';
import { operation } from '#core/http/operation.ts';
import { Uuid } from '#core/http/schema.ts';
import { inTeam } from '#core/policy.ts';
import { TeamUsage, UsageQuery } from './usage.schema.ts';
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
];
