// SPDX-License-Identifier: GPL-2.0-or-later

/** What the program is started with, as JSON in its first argument. */
export interface Settings {
  /** `run`: one program; `wp`: commands of wp-cli, one after another. */
  mode: 'serve' | 'run' | 'wp';
  phpVersion: '8.3';
  /** php.ini entries. */
  ini: Record<string, string>;
  /** Folders that all sites share and only read: PHP's path and the host's, outer ones first. */
  shared: [path: string, folder: string][];
  /** The one folder that may be written: it holds the socket, and the site as a link that the parent sets. */
  slot: string;
  /** Addresses besides public ones that PHP may connect to, as CIDR ranges. */
  allowedNetworks: string[];
}

/** The site to run. Its folder is reached through the slot, since nothing outside of that can be opened. */
export interface SiteSettings {
  /** Whom this process becomes before it touches the site. */
  owner?: number;
  /** A name inside the slot: the folder with `content`, `database` and `outbox`. */
  folder: string;
  /** PHP that defines the site's settings; wp-config.php loads it. */
  config: string;
  /** A name for that text that no other site has, because PHP caches files by their path. */
  configName: string;
  /** It reaches nothing outside of this process but its own content and database. */
  isOffline: boolean;
  /** Where the site itself is. What PHP sends there goes to the slot's `own.sock`, behind which the parent answers. */
  own: OwnAddress | null;
}

export interface OwnAddress {
  host: string;
  port: number;
  /** PHP speaks TLS there; beyond this process it is plain. */
  isSecure: boolean;
}

/** Where a site's own things are for PHP. */
export const PATHS = {
  core: '/site/wordpress',
  content: '/site/wordpress/wp-content',
  database: '/site/database',
  outbox: '/site/outbox',
  config: '/site/wp-config.php',
  purgeMark: '/site/purge',
} as const;

/** From the parent. `assign` comes once: a worker serves one site, ever. `room`: so much the site may still grow, and its database beyond that. */
export type FromParent =
  | { type: 'warm'; site: SiteSettings }
  | { type: 'assign'; site: SiteSettings }
  | { type: 'retire' }
  | { type: 'room'; bytes: number; beyondBytes: number }
  | { type: 'run'; site: SiteSettings; args: string[]; cwd: string; env: Record<string, string> };

/** One message of PHP's error log. */
export interface LogMessage {
  atMs: number;
  text: string;
}

/**
 * To the parent. `begin` and `end` bracket PHP's work on one request, however long its reader takes; what it logs is between them. `input`: a
 * command waits for what it can read. `exit` says how much this process has written by then, so that its reader knows when it has all.
 */
export type ToParent =
  | { type: 'booted' }
  | { type: 'warmed' }
  | { type: 'serving' }
  | { type: 'begin'; request: string | null }
  | { type: 'log'; messages: LogMessage[] }
  | { type: 'end'; outbox: string[]; ranOutOfMemory: boolean; changed: boolean }
  | { type: 'input' }
  | { type: 'grew'; bytes: number }
  | { type: 'exit'; code: number; stdoutBytes: number; stderrBytes: number };

export function tell(message: ToParent): void {
  process.send?.(message);
}
