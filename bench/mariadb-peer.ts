import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findMariadbBinaries } from '#runtimes/mariadb/server/binaries.ts';

/** The database of one of our sites, as it stands on the platform's own MariaDB. */
export interface SiteRows {
  /** DATA_DIR of the service. */
  dataDir: string;
  siteId: string;
}

/** A MariaDB as Debian's programs start it without any settings, with a copy of a site's tables. */
export interface PlainMariadb {
  socket: string;
  database: string;
  pid: number;
  stop(): Promise<void>;
}

const DATABASE = 'wordpress';
const [CLIENT, DUMP] = ['/usr/bin/mariadb', '/usr/bin/mariadb-dump'];

export async function startPlainMariadb(folder: string, rows: SiteRows): Promise<PlainMariadb> {
  const binaries = findMariadbBinaries();
  if (!binaries) throw new Error('This machine has no MariaDB (on Debian: apt-get install mariadb-server).');
  const data = join(folder, 'data');
  const socket = join(folder, 'mariadb.sock');
  mkdirSync(folder, { recursive: true });
  const plain = ['--no-defaults', `--datadir=${data}`, '--user=root'];
  must(spawnSync(binaries.install, [...plain, '--auth-root-authentication-method=normal', '--skip-test-db']));
  const server = spawn(binaries.server, [...plain, `--socket=${socket}`, '--skip-networking'], { stdio: 'ignore' });
  for (let tries = 0; tries < 600 && !existsSync(socket); tries++) await sleep(50);
  const client = ['--no-defaults', '--user=root', `--socket=${socket}`];
  must(spawnSync(CLIENT, [...client, '-e', `create database ${DATABASE} character set utf8mb4`]));
  must(spawnSync(CLIENT, [...client, DATABASE], { input: dump(rows), maxBuffer: 2 ** 30 }));
  return { socket, database: DATABASE, pid: server.pid as number, stop: () => end(server) };
}

function dump({ dataDir, siteId }: SiteRows): Buffer {
  const folder = join(dataDir, 'mariadb');
  const short = join(folder, 'socket-folder');
  const sockets = existsSync(short) ? readFileSync(short, 'utf8') : join(folder, 'socket');
  const access = [`--socket=${join(sockets, 'mariadb.sock')}`, '--user=siteyard'];
  const env = { ...process.env, MYSQL_PWD: readFileSync(join(folder, 'password'), 'utf8').trim() };
  const args = ['--no-defaults', ...access, '--single-transaction', `site_${siteId.replaceAll('-', '')}`];
  return must(spawnSync(DUMP, args, { env, maxBuffer: 2 ** 30 }));
}

function must({ status, stdout, stderr, error }: ReturnType<typeof spawnSync>): Buffer {
  if (status !== 0) throw error ?? new Error(String(stderr));
  return stdout as Buffer;
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  await exited;
}
