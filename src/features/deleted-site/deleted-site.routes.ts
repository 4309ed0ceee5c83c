import { Type } from 'typebox';
import { operation } from '#core/http/operation.ts';
import { Empty, Fqdn, PageOf, PageQuery, Uuid } from '#core/http/schema.ts';
import { operator } from '#core/policy.ts';
import { siteBusy } from '#features/hold/hold.ts';
import { onOwnSite } from '#features/instance/instance.ts';
import { Site } from '#features/site/site.schema.ts';
import { rereadSite } from '#features/site/site.ts';
import { nameTaken } from '#features/site-name/site-name.schema.ts';
import { DeletedSite, deletedSiteNotFound, restoreFailed } from './deleted-site.schema.ts';
import { listDeletedSites } from './deleted-site.sql.ts';
import { completeDeletedSites, deleteSite, restoreDeletedSite } from './deleted-site.ts';

export const deletedSiteOperations = [
  operation({
    id: 'deleteSite',
    method: 'DELETE',
    path: '/site/{fqdn}',
    tag: 'sites',
    summary: 'Delete a site; its name is free at once',
    access: onOwnSite,
    assistant: true,
    params: Type.Object({ fqdn: Fqdn }),
    response: Empty,
    errors: [siteBusy],
    goesOn: true,
    async handle(call) {
      await deleteSite(call, call.subject);
      return {};
    },
  }),
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
