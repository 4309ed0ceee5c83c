import { inTransaction } from '#core/db/database.ts';
import type { Services } from '#core/services.ts';
import type { EdgeReports, Route, RouteSource, RouteState } from '#edge/route.ts';
import { addUsage, announcePurge, listRoutes, markAwake, type RouteRow } from './site.edge.sql.ts';
import { recordSiteEvent } from './site.events.ts';
import { storageUsedUp } from './site.limits.ts';
import { previewKey, specOf } from './spec-of.ts';

/** The user name of the sign-in in front of a site. */
const SIGN_IN_NAME = 'admin';

/** The control plane's side of the edge: where its routes come from. */
export function siteRoutes(services: Services): Omit<RouteSource, 'subscribe'> {
  const { db } = services;
  return {
    loadAll: async () => (await listRoutes(db)).map((row) => toRoute(services, row)),
    load: async (siteId) => (await listRoutes(db, siteId)).map((row) => toRoute(services, row)),
  };
}

function toRoute(services: Services, row: RouteRow): Route {
  const { runtime, secrets } = services;
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
    contentFolder: runtime.contentFolder(row.id),
    // A site that is still being created has no version, and its state keeps visitors away from the folder.
    coreFolder: row.core_version === null ? '' : runtime.coreFolder(row.core_version),
    preview: row.expires_at && { key: previewKey(services, row.id), expiresAt: row.expires_at },
  };
}

function stateOf(row: RouteRow): RouteState {
  // A preview ends with its team's good standing, and says so itself.
  if (row.kind === 'preview') return row.busy === null ? 'ready' : 'creating';
  if (!row.is_active) return 'suspended';
  if (row.is_expired) return 'expired';
  if (row.busy === 'creating' || row.core_version === null) return 'creating';
  if (row.busy !== null) return 'held';
  return row.is_sleeping ? 'asleep' : 'ready';
}

/** What the edge tells the control plane. */
export function siteReports(services: Services): EdgeReports {
  const { db, log, siteLog } = services;
  return {
    woke: (siteId) =>
      inTransaction(db, async (tx) => {
        const site = await markAwake(tx, siteId);
        if (!site) return;
        await recordSiteEvent(tx, null, site, { event_type: 'site.woke', activity: `A visit woke ${site.fqdn}` });
      }),
    usage: (usage) => addUsage(db, usage),
    visited: (siteId, visit) => siteLog.visit(siteId, visit),
    purged: (siteId) => {
      announcePurge(db, siteId).catch((error) => log.warn({ err: error, siteId }, 'could not tell of changed pages'));
    },
  };
}

/** Calls back with each site whose pages changed, as any process of the platform announces it. */
export function subscribeToPurges({ listener }: Services, purge: (siteId: string) => void): Promise<void> {
  return listener.on('site_purged', purge);
}
