import { basename, join } from 'node:path';
import { DATABASE_FILE } from '#runtimes/folders/site-folder.ts';
import type { DatabaseAccess } from '#runtimes/mariadb/site-databases.ts';
import type { SiteSpec } from '#runtimes/runtime.ts';
import type { Tools } from './distribution.ts';

/** Where things are for a site's PHP, whichever PHP it is. */
export const LAYOUT = {
  core: '/site/wordpress',
  content: '/site/wordpress/wp-content',
  themes: '/site/themes',
  database: '/site/database',
  outbox: '/site/outbox',
  config: '/site/wp-config.php',
  purgeMark: '/site/purge',
  platform: '/site/platform',
  sqlite: '/site/sqlite',
  wpCli: '/site/wp-cli',
} as const;

export const INSTALL_PROGRAM = `${LAYOUT.platform}/install.php`;
export const TABLES_PROGRAM = `${LAYOUT.platform}/make-tables.php`;

const PLUGIN_FOLDER = join(import.meta.dirname, 'plugin');

/** What all sites of a version share and only read: the place for PHP, and the folder. Outer ones first. */
export function sharedFolders(coreFolder: string, tools: Tools): (readonly [at: string, folder: string])[] {
  return [
    [LAYOUT.core, coreFolder],
    [LAYOUT.themes, join(coreFolder, 'wp-content', 'themes')],
    [LAYOUT.platform, PLUGIN_FOLDER],
    [LAYOUT.sqlite, tools.sqliteFolder],
    [LAYOUT.wpCli, tools.wpCliFolder],
  ];
}

/** What wp-config.php says of a database that is SQLite. */
export function sqliteDatabase(): Record<string, string> {
  return {
    DB_NAME: 'wordpress',
    DB_USER: '',
    DB_PASSWORD: '',
    DB_HOST: 'localhost',
    DB_CHARSET: 'utf8mb4',
    DB_COLLATE: '',
    DB_ENGINE: 'sqlite',
    DB_DIR: `${LAYOUT.database}/`,
    DB_FILE: DATABASE_FILE,
    SQLITE_JOURNAL_MODE: 'DELETE',
  };
}

/** What it says of one on a server, whose socket is in that folder, if it has one. */
export function mariadbDatabase(
  { host, name, user, password, socket, isEncrypted }: DatabaseAccess,
  folder: string,
): Record<string, string | number> {
  return {
    DB_NAME: name,
    DB_USER: user,
    DB_PASSWORD: password,
    DB_HOST: socket === undefined ? host : `localhost:${folder}/${basename(socket)}`,
    DB_CHARSET: 'utf8mb4',
    DB_COLLATE: '',
    // What is left of SQLite in a site's content says nothing then.
    DB_ENGINE: 'mysql',
    ...(isEncrypted && { MYSQL_CLIENT_FLAGS: MYSQLI_CLIENT_SSL }),
  };
}

/** As PHP knows it. */
const MYSQLI_CLIENT_SSL = 2048;

/** The address in an image, which no site ever has. */
const IMAGE_URL = 'http://siteyard.invalid';

/** The site that an image is made as, and that PHP is warmed on. */
export function imageSite(coreVersion: string, phpVersion: string): SiteSpec {
  return {
    id: 'image',
    team: 'platform',
    url: IMAGE_URL,
    coreVersion,
    phpVersion,
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

export interface OwnAddress {
  host: string;
  port: number;
  isSecure: boolean;
}

/** Where the site itself is for whoever calls it. */
export function ownAddress(url: string): OwnAddress {
  const { hostname: host, port, protocol } = new URL(url);
  const isSecure = protocol === 'https:';
  return { host, port: Number(port || (isSecure ? 443 : 80)), isSecure };
}
