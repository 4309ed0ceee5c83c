import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLog } from '#core/log.ts';
import { Outbound } from '#core/outbound.ts';
import { findGround } from '#runtimes/fpm/fpm-ground.ts';
import { type FpmOptions, FpmRuntime } from '#runtimes/fpm/fpm-runtime.ts';
import type { DriverUnderTest } from '../contracts/contract-site.ts';
import { need } from '../runner/need.ts';
import { testMariadb, withoutMariadb } from './mariadb.ts';
import { putPhpProgram } from './php-program.ts';
import { WORDPRESS_CACHE } from './wordpress-cache.ts';

/** Why native PHP can not be tried on this machine; false where it can. */
export async function noFpm(): Promise<string | false> {
  return findGround('auto', WORDPRESS_CACHE).then(
    () => false as const,
    (error: Error) => error.message,
  );
}

/** Makes the cache complete, where there is native PHP, so that no two test files do it at once. */
export async function prepareFpm(): Promise<void> {
  if (await noFpm()) return;
  const { runtime, close } = await openFpmRuntime();
  await runtime.compiled().finally(close);
}

/** Why native PHP on MariaDB can not be tried on this machine; false where it can. */
export async function noFpmOnMariadb(): Promise<string | false> {
  return withoutMariadb || (await noFpm());
}

/** The driver of native PHP whose new sites have their databases in the MariaDB of the tests. */
export async function openFpmOnMariadb(options: Parameters<typeof openFpmRuntime>[0] = {}) {
  const { address, account } = await testMariadb();
  const url = `mariadb://${account.user}:${account.password}@localhost?socket=${encodeURIComponent(address.socket ?? '')}`;
  return openFpmRuntime({ databases: { newSites: 'mariadb', url, secret: 'sites' }, ...options });
}

/** The driver of native PHP on a folder of its own. */
export async function openFpmRuntime(
  options: Partial<FpmOptions> & { allowedNetworks?: string[] } = {},
): Promise<DriverUnderTest & { runtime: FpmRuntime; dataDir: string }> {
  await need('fpm');
  const dataDir = options.dataDir ?? (await mkdtemp(join(tmpdir(), 'fpm-')));
  const { allowedNetworks = [], ...rest } = options;
  const runtime = new FpmRuntime({
    cacheDir: WORDPRESS_CACHE,
    log: createLog(process.env.LOG_LEVEL ?? 'silent'),
    outbound: new Outbound({ allow: allowedNetworks }),
    memoryBudgetBytes: 4 * 1024 ** 3,
    // FPM ends a request up to a third later.
    requestTimeoutMs: 8_000,
    idleTimeoutMs: 600_000,
    processesPerSite: 4,
    requestsPerProcess: 10_000,
    sandbox: 'auto',
    ...rest,
    dataDir,
  });
  await runtime.open();
  const close = async () => {
    await runtime.close();
    await rm(dataDir, { recursive: true, force: true });
  };
  const put: DriverUnderTest['put'] = (site, name, steps) => putPhpProgram(runtime, site, name, steps);
  return { runtime, dataDir, put, close };
}
