import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findMariadbBinaries } from '#runtimes/mariadb/server/binaries.ts';
import { startEmbeddedMariadb } from '#runtimes/mariadb/server/embedded-mariadb.ts';
import { end, findServer } from '#runtimes/mariadb/server/process.ts';
import type { ServerAccess } from '#runtimes/mariadb/server-access.ts';

const START_MS = 300_000;

/** Why tests of MariaDB are left out here; false where they are not. */
export const withoutMariadb: string | false = findMariadbBinaries()
  ? false
  : 'This machine has no MariaDB (on Debian: apt-get install mariadb-server).';

/** One MariaDB for the whole run, started by whoever wants it first; `stopTestMariadb` ends it after the last file. */
export async function testMariadb(): Promise<ServerAccess> {
  const folder = folderOfRun();
  const ready = join(folder, 'ready.json');
  if (!existsSync(ready) && isFirst(folder)) {
    const binaries = findMariadbBinaries();
    if (!binaries) throw new Error(String(withoutMariadb));
    const { access } = await startEmbeddedMariadb({
      dataDir: join(folder, 'data'),
      binaries,
      // The data is thrown away, so nothing has to survive a power cut.
      settings: { 'sync-binlog': 0, 'innodb-flush-log-at-trx-commit': 0, 'innodb-flush-method': 'nosync' },
    });
    writeFileSync(`${ready}.new`, JSON.stringify(access));
    renameSync(`${ready}.new`, ready);
  }
  for (const limit = performance.now() + START_MS; !existsSync(ready); await sleep(50))
    if (performance.now() > limit) throw new Error('The MariaDB of the tests did not start');
  return JSON.parse(readFileSync(ready, 'utf8'));
}

/** For the runner, whose files have ended. */
export async function stopTestMariadb(): Promise<void> {
  const data = join(folderOfRun(), 'data');
  const server = findServer(join(data, 'run/mariadb.pid'), join(data, 'cluster'));
  if (server) await end(server);
  // Files that are run once more start another one.
  rmSync(folderOfRun(), { recursive: true, force: true });
}

/** Temporary files of a run have a folder of their own. */
function folderOfRun(): string {
  return join(tmpdir(), 'siteyard-test-mariadb');
}

function isFirst(folder: string): boolean {
  try {
    mkdirSync(folder, { mode: 0o711 });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    return false;
  }
}
