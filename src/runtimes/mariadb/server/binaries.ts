import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

export interface MariadbBinaries {
  server: string;
  install: string;
}

/** The MariaDB that the machine has; undefined where it has none. Nothing of its configuration is used. */
export function findMariadbBinaries(): MariadbBinaries | undefined {
  const server = find('mariadbd');
  const install = find('mariadb-install-db');
  return server && install ? { server, install } : undefined;
}

function find(program: string): string | undefined {
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/usr/bin', '/usr/local/sbin'];
  return folders.map((folder) => join(folder, program)).find((path) => existsSync(path));
}
