import { Type } from 'typebox';
import { operation } from '#core/http/operation.ts';
import { Uuid } from '#core/http/schema.ts';
import { inTeam } from '#core/policy.ts';
import { feature } from '../feature.ts';
import { TeamAttention } from './attention.schema.ts';
import { countSitesOfTeam, readAttention } from './attention.sql.ts';
import { tellTroubles } from './trouble.jobs.ts';
import { mailTrouble } from './trouble.mail.ts';

export const attentionFeature = feature({
  name: 'attention',
  jobs: [tellTroubles, mailTrouble],
  dueTimes: ['site_troubles.told_at'],
  operations: [
    operation({
      id: 'getTeamAttention',
      method: 'GET',
      path: '/team/{team_id}/attention',
      tag: 'teams',
      summary:
        'What a team should look at: payments, storage, sites that fail, failing backups, certificates and records of domains, updates that wait',
      access: inTeam('viewer'),
      assistant: true,
      params: Type.Object({ team_id: Uuid }),
      response: TeamAttention,
      handle: async ({ db, subject: teamId }) => ({
        sites: await countSitesOfTeam(db, teamId),
        items: await readAttention(db, teamId),
      }),
    }),
  ],
});
