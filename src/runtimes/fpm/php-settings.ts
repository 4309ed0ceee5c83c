import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { LAYOUT } from '#runtimes/wordpress/layout.ts';
import type { PhpInstall } from './php-install.ts';

/** In the order in which they need one another; what a machine does not have is left out. */
const EXTENSIONS = [
  ...['mysqlnd', 'pdo', 'xml', 'ctype', 'curl', 'dom', 'exif', 'fileinfo', 'ftp', 'gd', 'gettext', 'iconv', 'intl'],
  ...['mbstring', 'mysqli', 'pdo_mysql', 'pdo_sqlite', 'phar', 'posix', 'simplexml', 'sockets', 'sqlite3', 'tokenizer'],
  ...['xmlreader', 'xmlwriter', 'xsl', 'zip', 'bcmath', 'soap', 'imagick', 'calendar'],
];
const BODY_LIMIT = '64M';
const CERTIFICATES = `${LAYOUT.core}/wp-includes/certificates/ca-bundle.crt`;

/** Where things of the platform are in a sandbox of PHP. */
export const PLACES = {
  tools: '/opt/siteyard',
  ini: '/opt/php.ini',
  commandIni: '/opt/php-cli.ini',
  pool: '/opt/php-fpm.conf',
  launcher: '/opt/launch.pl',
  filter: '/opt/filter',
  run: '/run/php',
  socket: '/run/php/fpm.sock',
  /** Where PHP looks for what was compiled before: below it, in a folder with the name of its build. */
  compiled: '/tmp',
  compiling: '/run/compiled',
  door: '/run/siteyard',
  /** The folder with the socket of the server that has the site's database. */
  database: '/run/database',
  network: '/run/siteyard/net.sock',
  certificates: CERTIFICATES,
} as const;

const SHARED: Record<string, string> = {
  // An extension is native code.
  enable_dl: '0',
  // A request is over when it is answered, so that whoever keeps the site knows when PHP has ended.
  disable_functions: 'dl,fastcgi_finish_request',
  display_errors: '0',
  log_errors: '1',
  html_errors: '0',
  expose_php: '0',
  memory_limit: '256M',
  upload_max_filesize: BODY_LIMIT,
  post_max_size: BODY_LIMIT,
  max_input_vars: '5000',
  'date.timezone': 'UTC',
  sys_temp_dir: '/tmp',
  'session.save_path': '/tmp',
  'openssl.cafile': CERTIFICATES,
  'curl.cainfo': CERTIFICATES,
  realpath_cache_size: '4M',
  'zend.exception_ignore_args': '1',
};

const SERVING: Record<string, string> = {
  max_execution_time: '0',
  output_buffering: '4096',
  'opcache.enable': '1',
  'opcache.memory_consumption': '96',
  'opcache.interned_strings_buffer': '8',
  'opcache.max_accelerated_files': '10000',
  // A plugin that was just changed is what the next request must run.
  'opcache.revalidate_freq': '0',
};

const COMMANDS: Record<string, string> = {
  memory_limit: '512M',
  implicit_flush: '1',
  max_execution_time: '0',
  'opcache.enable_cli': '0',
};

/**
 * What PHP is for. What it has compiled of WordPress it can have from files that were made before (`compiled`): there it looks first. Below that
 * folder, which has to be one that can be written, the files themselves are read-only.
 */
export interface PhpUse {
  kind: 'serving' | 'commands';
  compiled?: string;
}

function compiledFrom({ kind, compiled }: PhpUse): Record<string, string> {
  if (compiled === undefined) return {};
  return {
    'opcache.file_cache': compiled,
    // Nobody but the platform writes them.
    'opcache.file_cache_consistency_checks': '0',
    ...(kind === 'commands' && { 'opcache.enable_cli': '1', 'opcache.file_cache_only': '1' }),
  };
}

export function writeIni(php: PhpInstall, use: PhpUse): string {
  const has = (name: string) => existsSync(join(php.extensions, `${name}.so`));
  const loaded = EXTENSIONS.filter(has).map((name) => `extension=${name}`);
  const values = Object.entries({ ...SHARED, ...(use.kind === 'serving' ? SERVING : COMMANDS), ...compiledFrom(use) });
  return [
    `extension_dir=${php.extensions}`,
    ...(has('opcache') ? ['zend_extension=opcache'] : []),
    ...loaded,
    ...values.map(([name, value]) => `${name}="${value}"`),
    '',
  ].join('\n');
}

export interface PoolLimits {
  requestTimeoutMs: number;
  /** How many requests at once. */
  processes: number;
  requestsPerProcess: number;
  /** A process without a request ends after so long; the master stays. */
  idleMs: number;
}

export function writePool({ requestTimeoutMs, processes, requestsPerProcess, idleMs }: PoolLimits): string {
  return `[global]
daemonize = no
error_log = /dev/null
log_limit = 40000
[site]
; Where a container has few numbers, that is its root, who may do nothing here.
user = site
group = site
listen = ${PLACES.socket}
listen.backlog = 128
pm = ondemand
; What a site asks of itself has one more, and so has what is being ended.
pm.max_children = ${processes + 2}
pm.process_idle_timeout = ${Math.max(1, Math.round(idleMs / 1000))}s
pm.max_requests = ${requestsPerProcess}
request_terminate_timeout = ${Math.max(1, Math.round(requestTimeoutMs / 1000))}s
request_terminate_timeout_track_finished = yes
catch_workers_output = no
clear_env = yes
env[HOME] = /tmp
env[TMPDIR] = /tmp
env[PATH] = /usr/bin:/bin
security.limit_extensions = .php
`;
}
