import type { SiteSpec } from '#runtimes/runtime.ts';
import { writeConfig } from '#runtimes/wordpress/config-file.ts';
import { LAYOUT, ownAddress, sqliteDatabase } from '#runtimes/wordpress/layout.ts';
import type { WorkerSite } from './worker-process.ts';

/** The PHP that there is as WebAssembly. */
export const PHP_VERSION = '8.3';

/** How a site looks from within a worker: what its WordPress is told. The worker program has the site's own folders in the same places. */
export function workerSite(site: SiteSpec): WorkerSite {
  const config = writeConfig(site, {
    platformFolder: LAYOUT.platform,
    themesFolder: LAYOUT.themes,
    outboxFolder: LAYOUT.outbox,
    purgeMark: LAYOUT.purgeMark,
    // The write-ahead log is not safe through this file system.
    database: sqliteDatabase(),
  });
  const { id, isOffline, url } = site;
  return { folder: 'site', config, configName: id, isOffline, own: isOffline ? null : ownAddress(url) };
}
