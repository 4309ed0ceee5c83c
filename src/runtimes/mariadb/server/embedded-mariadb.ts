import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { type Account, isRoot, type Lodger, openAccount } from '#core/db/embedded/account.ts';
import { lockDataDir } from '#core/db/embedded/data-dir-lock.ts';
import type { ServerAccess } from '../server-access.ts';
import type { MariadbBinaries } from './binaries.ts';
import { Server } from './server.ts';
import { SETTINGS, type Settings } from './settings.ts';

export interface EmbeddedMariadbOptions {
  /** Holds the tables, the logs, the socket and the password. Made when missing, and used by nothing else. */
  dataDir: string;
  binaries: MariadbBinaries;
  log?: (line: string) => void;
  /** Settings that add to or replace ours. */
  settings?: Settings;
}

export interface EmbeddedMariadb {
  access: ServerAccess;
  stop(): Promise<void>;
}

const LODGER: Lodger = { name: 'MariaDB', user: 'mysql', variable: 'MARIADB_URL' };
const ADMIN = 'siteyard';
const INIT_PREFIX = 'init-';
/** The kernel keeps a socket's path in 108 bytes, with a zero at its end. */
const MOST_SOCKET_BYTES = 107;
const SOCKET = 'mariadb.sock';

/**
 * Starts the machine's MariaDB on a folder of ours, over a unix socket alone, and starts it again whenever it dies. When we
 * are killed it stays, and the next start adopts it.
 */
export async function startEmbeddedMariadb(options: EmbeddedMariadbOptions): Promise<EmbeddedMariadb> {
  const { binaries } = options;
  const say = options.log ?? (() => {});
  const dataDir = prepareDataDir(options.dataDir);
  const lock = lockDataDir(dataDir);
  try {
    const cluster = join(dataDir, 'cluster');
    const account = openAccount(cluster, binaries.server, join(dataDir, 'run'), LODGER);
    for (const name of readdirSync(dataDir))
      if (name.startsWith(INIT_PREFIX)) rmSync(join(dataDir, name), { recursive: true, force: true });
    if (!existsSync(cluster)) {
      say(`Making a new MariaDB in ${cluster}.`);
      await install(dataDir, cluster, account, binaries);
    }
    const password = readPassword(dataDir);
    const startFile = join(dataDir, 'run', 'start.sql');
    writeFileSync(startFile, startStatements(password), { mode: 0o600 });
    account.own(startFile);
    const socket = socketFile(dataDir, account);
    const access: ServerAccess = { address: { socket }, account: { user: ADMIN, password } };
    const settings = { ...SETTINGS, ...options.settings };
    const args = [
      '--no-defaults',
      `--datadir=${cluster}`,
      `--socket=${socket}`,
      `--pid-file=${join(dataDir, 'run', 'mariadb.pid')}`,
      `--init-file=${startFile}`,
      `--tmpdir=${cluster}`,
      ...Object.entries(settings).map(([name, value]) => `--${name}=${value}`),
    ];
    const server = new Server({
      account,
      program: binaries.server,
      args,
      cluster,
      pidFile: join(dataDir, 'run', 'mariadb.pid'),
      logFile: join(dataDir, 'mariadb.log'),
      access,
      say,
    });
    await server.start();
    let stopped: Promise<void> | undefined;
    return {
      access,
      stop: () => {
        stopped ??= server.stop().finally(() => lock.release());
        return stopped;
      },
    };
  } catch (error) {
    lock.release();
    throw error;
  }
}

function prepareDataDir(path: string): string {
  mkdirSync(path, { recursive: true });
  // Root's own directory must let the account of MariaDB pass. Everything in it has a mode of its own.
  if (isRoot()) chmodSync(path, statSync(path).mode | 0o011);
  return realpathSync(path);
}

/** Made aside and renamed, so that a kill at any instant leaves a whole one or none. */
async function install(dataDir: string, cluster: string, account: Account, { install }: MariadbBinaries) {
  const fresh = mkdtempSync(join(dataDir, INIT_PREFIX));
  account.own(fresh);
  const child = account.spawn(
    install,
    [
      '--no-defaults',
      `--datadir=${fresh}`,
      '--auth-root-authentication-method=normal',
      '--skip-test-db',
      '--skip-name-resolve',
      '--innodb-log-file-size=8M',
    ],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  );
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  const [code, ...said] = await Promise.all([
    ended,
    child.stdout ? text(child.stdout) : '',
    child.stderr ? text(child.stderr) : '',
  ]);
  if (code !== 0) throw new Error(`MariaDB could not make its tables (exit code ${code}):\n${said.join('')}`);
  renameSync(fresh, cluster);
}

function readPassword(dataDir: string): string {
  const file = join(dataDir, 'password');
  if (existsSync(file)) return readFileSync(file, 'utf8').trim();
  const password = randomBytes(24).toString('hex');
  writeFileSync(`${file}.new`, `${password}\n`, { mode: 0o600, flush: true });
  renameSync(`${file}.new`, file);
  return password;
}

/** Run by the server at each start, so a password that was lost is a new one; nobody else may come in. */
function startStatements(password: string): string {
  return [
    'SET sql_log_bin = 0;',
    `CREATE USER IF NOT EXISTS ${ADMIN}@localhost;`,
    `ALTER USER ${ADMIN}@localhost IDENTIFIED VIA mysql_native_password USING PASSWORD('${password}');`,
    `GRANT ALL PRIVILEGES ON *.* TO ${ADMIN}@localhost WITH GRANT OPTION;`,
    "DELETE FROM mysql.global_priv WHERE User IN ('root', 'mysql', '');",
    'FLUSH PRIVILEGES;',
    '',
  ].join('\n');
}

/** A long path gets a short folder, with a name that stays the same: what was adopted is still there. */
function socketFile(dataDir: string, account: Account): string {
  const near = join(dataDir, 'socket');
  if (Buffer.byteLength(join(near, SOCKET)) <= MOST_SOCKET_BYTES) {
    mkdirSync(near, { recursive: true });
    return inFolder(near, account);
  }
  const file = join(dataDir, 'socket-folder');
  const known = existsSync(file) ? readFileSync(file, 'utf8') : undefined;
  if (known && existsSync(known)) return join(known, SOCKET);
  const folder = mkdtempSync(join(tmpdir(), 'siteyard-db-'));
  writeFileSync(file, folder);
  return inFolder(folder, account);
}

/** Nothing else is in there: sites are shown the folder, in which a server that was started again has another socket. */
function inFolder(folder: string, account: Account): string {
  account.own(folder);
  chmodSync(folder, 0o711);
  return join(folder, SOCKET);
}
