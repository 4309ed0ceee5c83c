import { Type } from 'typebox';
import { operation } from '#core/http/operation.ts';
import { PageOf, PageQuery, Uuid } from '#core/http/schema.ts';
import { operator } from '#core/policy.ts';
import { listDeletedSites } from './deleted-site.sql.ts';
import { completeDeletedSites, restoreDeletedSite } from './site.delete.ts';
import { DeletedSite, deletedSiteNotFound, nameTaken, restoreFailed, Site } from './site.schema.ts';
import { rereadSite } from './site.view.ts';

export const deletedSiteOperations = [
  operation({
    id: 'listDeletedSites',
    method: 'GET',
    path: '/operator/deleted_site',
    tag: 'operators',
    summary: 'Deleted sites that can still be brought back',
    access: operator,
    query: Type.Object(PageQuery),
    response: PageOf(DeletedSite),
    async handle({ db, caller, query, page }) {
      const { count, rows } = await listDeletedSites(db, query);
      return page(query, count, await completeDeletedSites(db, caller, rows));
    },
  }),
  operation({
    id: 'restoreDeletedSite',
    method: 'POST',
    path: '/operator/deleted_site/{site_id}/restore',
    tag: 'operators',
    summary: 'Bring a deleted site back under its name',
    access: operator,
    params: Type.Object({ site_id: Uuid }),
    response: Site,
    errors: [deletedSiteNotFound, nameTaken, restoreFailed],
    goesOn: true,
    handle: (call) => restoreDeletedSite(call, call.params.site_id),
    reread: (call, first) => rereadSite(call, first, restoreFailed),
  }),
];
