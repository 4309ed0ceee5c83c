import { createHmac } from 'node:crypto';
import type { SiteSpec } from '#runtimes/runtime.ts';

/** Where a driver puts things, as the site's PHP sees it. */
export interface SiteLayout {
  platformFolder: string;
  themesFolder: string;
  outboxFolder: string;
  /** A file that the driver looks for after each request: it is there when pages changed. No other request sees it. */
  purgeMark: string | { inServerVariable: string };
  /** The constants that name the database. */
  database: Record<string, string | number>;
}

/**
 * WordPress and plugins look for names that they know. As under nginx, addresses are rewritten and no .htaccess is read, so that is what
 * they are told: nobody asks for such a file, and whoever protects a folder by one says that it does not work here.
 */
const SERVER_SOFTWARE = 'Siteyard (like nginx)';

const SALTS = [
  'AUTH_KEY',
  'SECURE_AUTH_KEY',
  'LOGGED_IN_KEY',
  'NONCE_KEY',
  'AUTH_SALT',
  'SECURE_AUTH_SALT',
  'LOGGED_IN_SALT',
  'NONCE_SALT',
];

/**
 * The settings of a site, which its wp-config.php loads. Nothing of it is kept: the salts come from a key of the site, so a copy, whose
 * key is another, takes over nobody's session.
 */
export function writeConfig(site: SiteSpec, layout: SiteLayout): string {
  const salt = (name: string) => createHmac('sha256', site.saltKey).update(`salt ${name}`).digest('base64');
  const isCopy = site.isCopy || site.isOffline;
  const constants: Record<string, string | number | boolean> = {
    ...layout.database,
    ...Object.fromEntries(SALTS.map((name) => [name, salt(name)])),
    WP_HOME: site.url,
    WP_SITEURL: site.url,
    WP_ENVIRONMENT_TYPE: isCopy ? 'staging' : 'production',
    WP_MEMORY_LIMIT: '256M',
    WP_MAX_MEMORY_LIMIT: '256M',
    // Nobody but the owner sees errors, whatever the switch says: they go to PHP's own log, and into no file that visitors can ask for.
    WP_DEBUG: site.isDebugging,
    WP_DEBUG_DISPLAY: false,
    WP_DEBUG_LOG: false,
    FS_METHOD: 'direct',
    // The platform calls the scheduled work, and moves sites to new versions.
    DISABLE_WP_CRON: true,
    ALTERNATE_WP_CRON: false,
    AUTOMATIC_UPDATER_DISABLED: true,
    SITEYARD_KEY: site.accessKey,
    SITEYARD_OUTBOX: layout.outboxFolder,
    SITEYARD_THEMES: layout.themesFolder,
    SITEYARD_IS_COPY: isCopy,
    SITEYARD_IS_OFFLINE: site.isOffline,
  };
  const defines = Object.entries(constants).map(([name, value]) => `define(${php(name)}, ${php(value)});`);
  return `<?php
define('SITEYARD_PURGE_MARK', ${markOf(layout)});
${defines.join('\n')}
$table_prefix = 'wp_';
require ${php(`${layout.platformFolder}/no-installer.php`)};
${site.isOffline ? NO_CRON : ''}
if (($_SERVER['HTTP_X_FORWARDED_PROTO'] ?? '') === 'https') $_SERVER['HTTPS'] = 'on';
$_SERVER['SERVER_SOFTWARE'] = ${php(SERVER_SOFTWARE)};
// Loaded with the must-use plugins, from outside of the content folder: nobody can remove it, and no copy carries it along.
$GLOBALS['wp_filter']['muplugins_loaded'][-1000][] = [
  'function' => function () { require_once ${php(`${layout.platformFolder}/siteyard.php`)}; },
  'accepted_args' => 0,
];
`;
}

/** wp-cron.php says what it is before it loads anything, so not even a must-use plugin of the site gets to run. */
const NO_CRON = "if (defined('DOING_CRON')) exit;";

/** A command, which has no such variable, tells by its end that pages may have changed. */
function markOf({ purgeMark }: SiteLayout): string {
  return typeof purgeMark === 'string'
    ? php(purgeMark)
    : `$_SERVER[${php(purgeMark.inServerVariable)}] ?? ${php('/dev/null')}`;
}

/** A PHP literal. In single quotes only the quote and the backslash mean anything. */
function php(value: string | number | boolean): string {
  return typeof value !== 'string' ? String(value) : `'${value.replaceAll(/['\\]/g, '\\$&')}'`;
}
