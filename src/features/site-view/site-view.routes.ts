import { Type } from 'typebox';
import { operation } from '#core/http/operation.ts';
import { Empty, PageOf, PageQuery, Uuid } from '#core/http/schema.ts';
import { inTeam } from '#core/policy.ts';
import { NewSiteView, SiteView, siteViewNotFound, tooManySiteViews } from './site-view.schema.ts';
import { deleteSiteView, listSiteViews, putSiteView } from './site-view.sql.ts';

const tag = 'sites';
const TeamPath = Type.Object({ team_id: Uuid });
const MAX_VIEWS = 50;

/** Each is one person's own. Keeping one is told to nobody: it changes what they see and nothing else. */
export const siteViewOperations = [
  operation({
    id: 'listSiteViews',
    method: 'GET',
    path: '/team/{team_id}/site_view',
    tag,
    summary: "Your kept views of a team's sites",
    access: inTeam('viewer'),
    params: TeamPath,
    query: Type.Object(PageQuery),
    response: PageOf(SiteView),
    async handle({ db, caller, subject: teamId, query, page }) {
      const { count, rows } = await listSiteViews(db, { userId: caller.userId, teamId }, query);
      return page(query, count, rows);
    },
  }),
  operation({
    id: 'saveSiteView',
    method: 'POST',
    path: '/team/{team_id}/site_view',
    tag,
    summary: "Keep a view of a team's sites under a name: what to search for, which label and state, in which order",
    access: inTeam('viewer'),
    params: TeamPath,
    body: NewSiteView,
    response: SiteView,
    errors: [tooManySiteViews],
    async handle({ db, caller, subject: teamId, body }) {
      const { name, search = '', label = '', state = '', sort = 'newest', layout = 'cards' } = body;
      const view = { name: name.trim(), search: search.trim(), label, state, sort, layout };
      const row = await putSiteView(db, { userId: caller.userId, teamId }, view, MAX_VIEWS);
      if (!row) throw tooManySiteViews();
      return row;
    },
  }),
  operation({
    id: 'deleteSiteView',
    method: 'DELETE',
    path: '/team/{team_id}/site_view/{site_view_id}',
    tag,
    summary: 'Forget a kept view',
    access: inTeam('viewer'),
    params: Type.Object({ team_id: Uuid, site_view_id: Uuid }),
    response: Empty,
    errors: [siteViewNotFound],
    async handle({ db, caller, subject: teamId, params }) {
      if (!(await deleteSiteView(db, { userId: caller.userId, teamId }, params.site_view_id))) throw siteViewNotFound();
      return {};
    },
  }),
];
