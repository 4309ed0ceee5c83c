import { Type } from 'typebox';
import { operation } from '#core/http/operation.ts';
import { Uuid } from '#core/http/schema.ts';
import { inTeam } from '#core/policy.ts';
import { siteNotFound } from '#features/instance/instance.schema.ts';
import { LabelChange, LabelledSites, SiteLabels, tooManyLabels } from './site-label.schema.ts';
import { countLabels } from './site-label.sql.ts';
import { labelSites } from './site-label.ts';

const tag = 'sites';
const TeamPath = Type.Object({ team_id: Uuid });

export const siteLabelOperations = [
  operation({
    id: 'listSiteLabels',
    method: 'GET',
    path: '/team/{team_id}/site_label',
    tag,
    summary: 'The labels that the sites of a team have, and how many have each',
    access: inTeam('viewer'),
    params: TeamPath,
    response: SiteLabels,
    handle: async ({ db, subject: teamId }) => ({ results: await countLabels(db, teamId) }),
  }),
  operation({
    id: 'labelSites',
    method: 'POST',
    path: '/team/{team_id}/site_label',
    tag,
    summary: 'Put labels on sites of a team, and take others off',
    access: inTeam('member'),
    params: TeamPath,
    body: LabelChange,
    response: LabelledSites,
    errors: [siteNotFound, tooManyLabels],
    handle: ({ db, caller, subject: teamId, body }) => labelSites(db, caller, teamId, body),
  }),
];
