import { inTransaction } from '#core/db/database.ts';
import type { Services } from '#core/services.ts';
import type { EdgeReports } from '#edge/route.ts';
import { addUsage, announcePurge, markAwake } from './edge.sql.ts';
import { recordSiteEvent } from './site-events.ts';

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
    visited: (site, visit) => siteLog.visit(site, visit),
    logError: (site, entry) => siteLog.error(site, entry),
    purged: (siteId) => {
      announcePurge(db, siteId).catch((error) => log.warn({ err: error, siteId }, 'could not tell of changed pages'));
    },
  };
}

/** Calls back with each site whose pages changed, as any process of the platform announces it. */
export function subscribeToPurges({ listener }: Services, purge: (siteId: string) => void): Promise<void> {
  return listener.on('site_purged', purge);
}
