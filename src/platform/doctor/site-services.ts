import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { findGround } from '#runtimes/fpm/fpm-ground.ts';
import { findPhp } from '#runtimes/fpm/php-install.ts';
import { requireOwnFolder } from '#runtimes/mariadb/open-databases.ts';
import { findMariadbBinaries } from '#runtimes/mariadb/server/binaries.ts';
import { connect, type ServerAccess, serverAccessOf } from '#runtimes/mariadb/server-access.ts';
import type { Config } from '../../config.ts';
import { advise, type Finding, fault, fine } from './finding.ts';

/** What sites run on and keep their rows in: a fault where the configuration wants what the machine has not. */
export async function examineSiteServices(config: Config): Promise<Finding[]> {
  const isNative = config.newSites.driver === 'fpm';
  return [
    isNative ? await examineGround(config) : await examineFpm(),
    isNative ? await examineDatabases(config) : examineMariadb(),
  ];
}

async function examineGround({ sandbox, cacheDir }: Config): Promise<Finding> {
  try {
    const { installs } = await findGround(sandbox, cacheDir);
    return fine('php', `PHP-FPM ${installs.map(({ release }) => release).join(', ')}`);
  } catch (error) {
    return fault('php', (error as Error).message, 'Install or allow what is missing, or set RUNTIME=php-wasm.');
  }
}

async function examineFpm(): Promise<Finding> {
  const installs = await findPhp().catch(() => []);
  const versions = installs.map(({ release }) => release).join(', ');
  return fine('php', versions ? `the embedded one; PHP-FPM ${versions} is installed` : 'the embedded one');
}

function examineMariadb(): Finding {
  return fine(
    'mariadb',
    findMariadbBinaries() ? 'installed and not used; sites have SQLite' : 'none; sites have SQLite',
  );
}

async function examineDatabases({ siteDatabases: { newSites, url } }: Config): Promise<Finding> {
  if (url !== undefined) return examineServer(url);
  const binaries = findMariadbBinaries();
  if (newSites === 'sqlite') return examineMariadb();
  if (!binaries)
    return fault(
      'mariadb',
      'SITE_DATABASE=mariadb, and this machine has no mariadbd and mariadb-install-db',
      'Install MariaDB (on Debian: apt-get install mariadb-server), or name a server in MARIADB_URL.',
    );
  const { stdout } = await promisify(execFile)(binaries.server, ['--no-defaults', '--version']);
  const version = /\d+\.\d+\.\d+/.exec(stdout)?.[0] ?? '';
  return isRecent(version) ? fine('mariadb', `${version}, started by the platform`) : tooOld(version);
}

const tooOld = (version: string) => fault('mariadb', version, 'Use MariaDB 10.6 or newer.');

function isRecent(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major > 10 || (major === 10 && minor >= 6);
}

async function examineServer(url: string): Promise<Finding> {
  try {
    const access = serverAccessOf(url);
    if (access.address.socket !== undefined) requireOwnFolder(access.address.socket);
    return await askServer(access);
  } catch (error) {
    return fault(
      'mariadb',
      `MARIADB_URL does not work: ${(error as Error).message}`,
      'Start that server, let this machine in, and give the account the right to make databases and accounts.',
    );
  }
}

async function askServer(access: ServerAccess): Promise<Finding> {
  const connection = await connect(access);
  try {
    const [row] = await connection.query('select version() as version, @@log_bin as log, @@binlog_format as format');
    const { version, log, format } = row as { version: string; log: number | bigint; format: string };
    if (!/mariadb/i.test(version) || !isRecent(version)) return tooOld(version);
    if (Number(log) === 1 && format === 'ROW') return fine('mariadb', `${version}, of MARIADB_URL`);
    return advise(
      'mariadb',
      `${version}, without a log of changed rows`,
      'Set log_bin and binlog_format=ROW there: without them each backup reads all rows of a site.',
    );
  } finally {
    await connection.end();
  }
}
