import type { Services } from '#core/services.ts';
import type { Route, RouteSource } from '#edge/route.ts';
import { previewKey, specOfPreview } from './preview.spec.ts';
import { listReadyPreviews, type PreviewRow } from './preview.sql.ts';

/** The edge's routes, with those of previews: both have one kind of id, and are announced in one way. */
export function withPreviews<T extends Omit<RouteSource, 'subscribe'>>(services: Services, sites: T): T {
  const previews = async (id?: string) =>
    (await listReadyPreviews(services.db, id)).map((row) => toRoute(services, row));
  return {
    ...sites,
    loadAll: async () => [...(await sites.loadAll()), ...(await previews())],
    load: async (id) => [...(await sites.load(id)), ...(await previews(id))],
  };
}

function toRoute(services: Services, row: PreviewRow): Route {
  return {
    fqdn: row.fqdn,
    teamId: row.team_id,
    site: specOfPreview(services, row),
    state: 'ready',
    signIn: null,
    allowedAddresses: null,
    externalPaths: [],
    uploadsRefused: null,
    devMode: true,
    preview: { key: previewKey(services, row.id), expiresAt: row.expires_at },
  };
}
