import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findPhp } from '#runtimes/fpm/php-install.ts';
import { writeIni } from '#runtimes/fpm/php-settings.ts';
import { LAYOUT, mariadbDatabase, sqliteDatabase } from '#runtimes/wordpress/layout.ts';
import { freePort } from '#testkit/free-port.ts';
import { type PlainMariadb, type SiteRows, startPlainMariadb } from './mariadb-peer.ts';

/** A WordPress as somebody sets it up by hand: nginx before PHP-FPM, and MariaDB where our site has its rows there, with its files and its rows. */
export interface HandMade {
  url: string;
  pids: { nginx: number; fpm: number; mariadb: number | undefined };
  stop(): Promise<void>;
}

export interface HandMadeOptions {
  dir: string;
  core: string;
  sqlite: string;
  site: { content: string; database: string };
  /** Where the rows of the site are on MariaDB. */
  rows: SiteRows | undefined;
  processes: number;
}

export async function startHandMade({ dir, core, sqlite, site, rows, processes }: HandMadeOptions): Promise<HandMade> {
  const [php] = await findPhp();
  const port = await freePort();
  const url = `http://peer.localhost:${port}`;
  const root = join(dir, 'wordpress');
  await mkdir(join(dir, 'nginx'), { recursive: true });
  await cp(core, root, { recursive: true });
  await cp(site.content, join(root, 'wp-content'), { recursive: true });
  const mariadb = rows && (await startPlainMariadb(join(dir, 'mariadb'), rows));
  const dropIn = join(root, 'wp-content', 'db.php');
  if (mariadb) await rm(dropIn, { force: true });
  else {
    await cp(site.database, join(dir, 'database'), { recursive: true });
    await writeFile(dropIn, (await readFile(dropIn, 'utf8')).replaceAll(LAYOUT.sqlite, sqlite));
  }
  await writeFile(join(root, 'wp-config.php'), configOf(url, databaseOf(dir, mariadb)));
  const ini = writeIni(php, { kind: 'serving' }).replaceAll(LAYOUT.core, root);
  await writeFile(join(dir, 'php.ini'), ini);
  await writeFile(
    join(dir, 'fpm.conf'),
    `[global]\ndaemonize = no\nerror_log = ${dir}/fpm.log\n[site]\nlisten = ${dir}/fpm.sock\nlisten.mode = 0666\npm = dynamic
pm.max_children = ${processes}\npm.start_servers = 2\npm.min_spare_servers = 1\npm.max_spare_servers = ${processes}\nuser = root\ngroup = root\n`,
  );
  await writeFile(join(dir, 'nginx.conf'), nginxOf(dir, root, port));
  const fpm = spawn(
    php.fpm,
    ['--nodaemonize', '--allow-to-run-as-root', '-c', join(dir, 'php.ini'), '-y', join(dir, 'fpm.conf')],
    {
      stdio: 'ignore',
      env: { PHP_INI_SCAN_DIR: '' },
    },
  );
  const nginx = spawn('/usr/sbin/nginx', ['-c', join(dir, 'nginx.conf')], { stdio: 'ignore' });
  for (let tries = 0; tries < 200 && !existsSync(join(dir, 'fpm.sock')); tries++) await sleep(50);
  return {
    url,
    pids: { nginx: nginx.pid as number, fpm: fpm.pid as number, mariadb: mariadb?.pid },
    stop: async () => void (await Promise.all([end(nginx), end(fpm), mariadb?.stop()])),
  };
}

function databaseOf(dir: string, mariadb: PlainMariadb | undefined): Record<string, string | number> {
  if (!mariadb) return { ...sqliteDatabase(), DB_DIR: `${dir}/database/` };
  const { database: name, socket } = mariadb;
  const access = { host: '', name, user: 'root', password: '', socket, isEncrypted: false };
  return mariadbDatabase(access, dirname(socket));
}

function configOf(url: string, database: Record<string, string | number>): string {
  const constants = { ...database, WP_HOME: url, WP_SITEURL: url };
  const defines = Object.entries(constants).map(([name, value]) => `define('${name}', '${value}');`);
  return `<?php\n${defines.join('\n')}\ndefine('DISABLE_WP_CRON', true);\n$table_prefix = 'wp_';
if (!defined('ABSPATH')) define('ABSPATH', __DIR__ . '/');\nrequire_once ABSPATH . 'wp-settings.php';\n`;
}

/** Debian's own parameters name the host without its port, to which WordPress would redirect for ever. */
function nginxOf(dir: string, root: string, port: number): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (kind) => `${kind}_temp_path ${dir}/nginx/${kind};`,
  );
  return `worker_processes 1; daemon off; pid ${dir}/nginx/pid; error_log stderr warn; user root;
events { worker_connections 1024; }
http { include /etc/nginx/mime.types; access_log off; ${temporary.join(' ')}
  server { listen 127.0.0.1:${port}; root ${root}; index index.php;
    location / { try_files $uri $uri/ /index.php?$args; }
    location ~ \\.php$ { include /etc/nginx/fastcgi_params; fastcgi_param SCRIPT_FILENAME $document_root$fastcgi_script_name;
      fastcgi_param HTTP_HOST $http_host; fastcgi_buffers 32 16k; fastcgi_pass unix:${dir}/fpm.sock; } } }`;
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  await exited;
}
