import { existsSync, readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Log } from '#core/log.ts';
import { MariadbDatabases } from './mariadb-databases.ts';
import { findMariadbBinaries } from './server/binaries.ts';
import { startEmbeddedMariadb } from './server/embedded-mariadb.ts';
import { MOST_LOG_BYTES } from './server/settings.ts';
import { serverAccessOf } from './server-access.ts';

/** What an operator says of the databases of sites. */
export interface DatabaseWish {
  /** What new sites get. */
  newSites: 'sqlite' | 'mariadb';
  /** The operator's own server (MARIADB_URL); ours otherwise. */
  url?: string | undefined;
  /** What passwords are derived from. */
  secret: string;
}

export interface OpenDatabases {
  databases: MariadbDatabases;
  close(): Promise<void>;
}

/** The server of sites' databases, where there is one to be: new sites want it, the operator named it, or sites have theirs there. */
export async function openDatabases(
  { newSites, url, secret }: DatabaseWish,
  dataDir: string,
  log: Log,
): Promise<OpenDatabases | undefined> {
  const folder = join(dataDir, 'mariadb');
  if (url !== undefined) {
    const access = serverAccessOf(url);
    if (access.address.socket !== undefined) requireOwnFolder(access.address.socket);
    const databases = await MariadbDatabases.open({ access, secret });
    return { databases, close: () => databases.close() };
  }
  if (newSites !== 'mariadb' && !existsSync(join(folder, 'cluster'))) return undefined;
  const binaries = findMariadbBinaries();
  if (!binaries)
    throw new Error(
      'SITE_DATABASE=mariadb needs MariaDB on this machine (on Debian: apt-get install mariadb-server), or a server in MARIADB_URL.',
    );
  const server = await startEmbeddedMariadb({ dataDir: folder, binaries, log: (line) => log.info(line) });
  try {
    const databases = await MariadbDatabases.open({ access: server.access, secret, mostLogBytes: MOST_LOG_BYTES });
    const close = async () => {
      await databases.close();
      await server.stop();
    };
    return { databases, close };
  } catch (error) {
    await server.stop();
    throw error;
  }
}

/** Sites are shown the folder of the socket. One with other things in it, such as /tmp or a server's data, would be shown to all of them. */
export function requireOwnFolder(socket: string): void {
  const folder = dirname(socket);
  const isOfServer = (name: string) => name === basename(socket) || /\.(?:pid|lock)$/.test(name);
  if (existsSync(folder) && !readdirSync(folder).every(isOfServer))
    throw new Error(
      `Sites see the folder of the socket of MARIADB_URL, and ${folder} has other things in it: give the socket a folder of its own.`,
    );
}
