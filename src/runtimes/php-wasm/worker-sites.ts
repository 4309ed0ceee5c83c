import { join } from 'node:path';
import { DATABASE_FILE } from '#runtimes/folders/site-folder.ts';
import type { SiteSpec } from '#runtimes/runtime.ts';
import { writeConfig } from '#runtimes/wordpress/config-file.ts';
import type { Tools } from '#runtimes/wordpress/distribution.ts';
import { IMAGE_URL, SQLITE_PATH } from './images.ts';
import type { WorkerSite } from './worker-process.ts';
import type { CoreMounts } from './workers.ts';

/** How a site looks from within a worker: where things are for PHP, and what its WordPress is told. */
export const PHP_VERSION = '8.3';

const PLUGIN_FOLDER = join(import.meta.dirname, '../wordpress/plugin');

/** The worker program has the site's own folders in the same places. */
const LAYOUT = {
  core: '/site/wordpress',
  themes: '/site/themes',
  database: '/site/database',
  outbox: '/site/outbox',
  purgeMark: '/site/purge',
  platform: '/site/platform',
  wpCli: '/site/wp-cli',
} as const;

export const INSTALL_PROGRAM = `${LAYOUT.platform}/install.php`;
export const TABLES_PROGRAM = `${LAYOUT.platform}/make-tables.php`;

export function sharedMounts(coreFolder: string, tools: Tools): CoreMounts['shared'] {
  return [
    [LAYOUT.core, coreFolder],
    [LAYOUT.themes, join(coreFolder, 'wp-content', 'themes')],
    [LAYOUT.platform, PLUGIN_FOLDER],
    [SQLITE_PATH, tools.sqliteFolder],
    [LAYOUT.wpCli, tools.wpCliFolder],
  ];
}

export function workerSite(site: SiteSpec): WorkerSite {
  const config = writeConfig(site, {
    platformFolder: LAYOUT.platform,
    themesFolder: LAYOUT.themes,
    outboxFolder: LAYOUT.outbox,
    purgeMark: LAYOUT.purgeMark,
    database: {
      DB_NAME: 'wordpress',
      DB_USER: '',
      DB_PASSWORD: '',
      DB_HOST: 'localhost',
      DB_CHARSET: 'utf8mb4',
      DB_COLLATE: '',
      DB_ENGINE: 'sqlite',
      DB_DIR: `${LAYOUT.database}/`,
      DB_FILE: DATABASE_FILE,
      // The write-ahead log is not safe through this file system.
      SQLITE_JOURNAL_MODE: 'DELETE',
    },
  });
  const { id, isOffline, url } = site;
  return { folder: 'site', config, configName: id, isOffline, own: isOffline ? null : ownAddress(url) };
}

/** The site that an image is made as, and that a worker is warmed on. */
export function imageSite(coreVersion: string): SiteSpec {
  return {
    id: 'image',
    team: 'platform',
    url: IMAGE_URL,
    coreVersion,
    phpVersion: PHP_VERSION,
    accessKey: 'image',
    saltKey: 'image',
    isCopy: true,
    isOffline: false,
    isDebugging: false,
  };
}

/** Paths as the owner knows them: below the folder of WordPress, where our themes appear too. */
export function withOwnPaths(text: string): string {
  return text.replaceAll(`${LAYOUT.core}/`, '').replaceAll(`${LAYOUT.themes}/`, 'wp-content/themes/');
}

function ownAddress(url: string): WorkerSite['own'] {
  const { hostname: host, port, protocol } = new URL(url);
  const isSecure = protocol === 'https:';
  return { host, port: Number(port || (isSecure ? 443 : 80)), isSecure };
}
