import type { Log } from '#core/log.ts';
import type { Outbound } from '#core/outbound.ts';
import { FpmRuntime } from '#runtimes/fpm/fpm-runtime.ts';
import { MemoryRuntime } from '#runtimes/memory/memory-runtime.ts';
import { PhpWasmRuntime } from '#runtimes/php-wasm/php-wasm-runtime.ts';
import type { Runtime } from '#runtimes/runtime.ts';
import type { Config, DriverName } from '../config.ts';

/** `databaseSecret`: what the passwords of sites' databases are made from. */
type CreateRuntime = (config: Config, log: Log, outbound: Outbound, databaseSecret: string) => Runtime;

/** The drivers, by the name that an operator picks one with (RUNTIME). */
const DRIVERS: Record<DriverName, CreateRuntime> = {
  'php-wasm': (config, log, outbound) =>
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
  fpm: (config, log, outbound, databaseSecret) =>
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
  memory: (config, log) => {
    log.warn(
      'sites run in memory, without PHP and in this very process: for tests and for developing the platform alone',
    );
    return new MemoryRuntime({
      dataDir: config.dataDir,
      cacheDir: config.cacheDir,
      log,
      requestTimeoutMs: config.phpTimeoutSeconds * 1000,
      idleTimeoutMs: config.phpIdleMinutes * 60_000,
      requestsAtOnce: config.phpProcessesPerSite,
    });
  },
};

/** The one that new sites run on. */
export const createRuntime: CreateRuntime = (config, log, outbound, databaseSecret) =>
  DRIVERS[config.newSites.driver](config, log, outbound, databaseSecret);
