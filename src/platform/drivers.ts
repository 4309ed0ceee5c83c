import type { Log } from '#core/log.ts';
import type { Outbound } from '#core/outbound.ts';
import { FpmRuntime } from '#runtimes/fpm/fpm-runtime.ts';
import { PhpWasmRuntime } from '#runtimes/php-wasm/php-wasm-runtime.ts';
import type { Runtime } from '#runtimes/runtime.ts';
import type { Config, DriverName } from '../config.ts';

export interface RuntimeContext {
  config: Config;
  log: Log;
  outbound: Outbound;
  /** What the passwords of sites' databases are made from. */
  databaseSecret: string;
}

/** Drivers by the name that an operator picks one with (RUNTIME). */
export type Drivers = Readonly<Record<string, (context: RuntimeContext) => Runtime>>;

const DRIVERS = {
  'php-wasm': ({ config, log, outbound }) =>
    new PhpWasmRuntime({
      dataDir: config.dataDir,
      cacheDir: config.cacheDir,
      log,
      standbyWorkers: config.standbyWorkers,
      memoryBudgetBytes: config.phpMemoryMb * 1024 * 1024,
      requestTimeoutMs: config.phpTimeoutSeconds * 1000,
      idleTimeoutMs: config.phpIdleMinutes * 60_000,
      processesPerSite: config.phpProcessesPerSite,
      requestsPerProcess: config.phpRequestsPerProcess,
      compiler: config.phpCompiler,
      sandbox: config.sandbox,
      allowedNetworks: config.outboundAllow,
      ...(config.wordpressSource && { releases: { outbound, source: config.wordpressSource } }),
    }),
  fpm: ({ config, log, outbound, databaseSecret }) =>
    new FpmRuntime({
      dataDir: config.dataDir,
      cacheDir: config.cacheDir,
      log,
      outbound,
      memoryBudgetBytes: config.phpMemoryMb * 1024 * 1024,
      requestTimeoutMs: config.phpTimeoutSeconds * 1000,
      idleTimeoutMs: config.phpIdleMinutes * 60_000,
      processesPerSite: config.phpProcessesPerSite,
      requestsPerProcess: config.phpRequestsPerProcess,
      sandbox: config.sandbox,
      databases: { ...config.siteDatabases, secret: databaseSecret },
      ...(config.wordpressSource && { releases: { source: config.wordpressSource } }),
    }),
} satisfies Record<DriverName, Drivers[string]>;

/** Creates the runtime that new sites run on. `extra`: drivers that the product does not have, such as the one for tests. */
export function createRuntime(context: RuntimeContext, extra: Drivers): Runtime {
  const { driver } = context.config.newSites;
  const drivers: Drivers = { ...extra, ...DRIVERS };
  const create = drivers[driver];
  if (!create) throw new Error(`This program has no driver ${driver}. Pass it to startPlatform.`);
  return create(context);
}
