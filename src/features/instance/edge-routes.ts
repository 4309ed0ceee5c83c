import type { Services } from '#core/services.ts';
import type { Route, RouteSource, RouteState } from '#edge/route.ts';
import { goesOn } from '#features/hold/hold.ts';
import { listRoutes, type RouteRow } from './edge.sql.ts';
import { previewKey, specOf } from './spec-of.ts';
import { storageUsedUp } from './storage-used-up.ts';

/** The user name of the sign-in in front of a site. */
const SIGN_IN_NAME = 'admin';

/** The control plane's side of the edge: where its routes come from, of instances of every kind. */
export function siteRoutes(services: Services): RouteSource {
  return {
    loadAll: () => routesOf(services, {}),
    load: (siteIds) => routesOf(services, { siteIds }),
    subscribe: async (changed) => services.siteChanges.subscribe(changed),
  };
}

/** Those of sites, or on a host. */
export async function routesOf(
  services: Services,
  of: { siteIds?: readonly string[]; host?: string },
): Promise<Route[]> {
  return (await listRoutes(services.db, of)).map((row) => toRoute(services, row));
}

function toRoute(services: Services, row: RouteRow): Route {
  const { secrets } = services;
  return {
    fqdn: row.name,
    teamId: row.team_id,
    site: specOf(services, row),
    state: stateOf(row),
    signIn: row.http_auth_enabled
      ? { username: SIGN_IN_NAME, password: secrets.open(row.http_auth_password_sealed).toString() }
      : null,
    allowedAddresses: row.cdn_firewall_enabled ? row.cdn_firewall_allowed_ips : null,
    externalPaths: row.external_paths,
    uploadsRefused: row.storage_is_used_up ? storageUsedUp(row.plan_type_name, row.has_deleted_sites) : null,
    devMode: row.cdn_dev_mode_enabled,
    alias: row.name === row.fqdn ? null : row.name_mode,
    // Of all kinds, previews alone end by themselves.
    preview: row.expires_at && {
      key: previewKey(services, row.id),
      expiresAt: row.expires_at,
      framedBy: new URL(services.config.baseUrl).origin,
    },
  };
}

function stateOf(row: RouteRow): RouteState {
  // A preview ends with its team's good standing, and says so itself.
  if (row.kind === 'preview') return row.busy === null ? 'ready' : 'creating';
  if (!row.is_active) return 'suspended';
  if (row.is_expired) return 'expired';
  if (row.busy === 'creating' || row.core_version === null) return 'creating';
  if (!goesOn(row.busy)) return 'held';
  return row.is_sleeping ? 'asleep' : 'ready';
}
