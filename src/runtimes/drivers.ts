import type { Log } from '#core/log.ts';
import type { Outbound } from '#core/outbound.ts';
import type { Config } from '../config.ts';
import { MemoryRuntime } from './memory/memory-runtime.ts';
import { PhpWasmRuntime } from './php-wasm/php-wasm-runtime.ts';
import type { Runtime } from './runtime.ts';

type CreateRuntime = (config: Config, log: Log, outbound: Outbound) => Runtime;

/** The drivers, by the name that an operator picks one with (RUNTIME). */
const DRIVERS: Record<Config['runtime'], CreateRuntime> = {
  'php-wasm': (config, log, outbound) =>
    new PhpWasmRuntime({
      dataDir: config.dataDir,
      cacheDir: config.cacheDir,
      log,
      // Only who serves visitors keeps warm PHP at hand.
      standbyWorkers: config.roles.has('edge') ? config.standbyWorkers : 0,
      memoryBudgetBytes: config.phpMemoryMb * 1024 * 1024,
      requestTimeoutMs: config.phpTimeoutSeconds * 1000,
      idleTimeoutMs: config.phpIdleMinutes * 60_000,
      processesPerSite: config.phpProcessesPerSite,
      requestsPerProcess: config.phpRequestsPerProcess,
      compiler: config.phpCompiler,
      allowedNetworks: config.outboundAllow,
      ...(config.wordpressSource && { releases: { outbound, source: config.wordpressSource } }),
    }),
  memory: (config, log) =>
    new MemoryRuntime({
      dataDir: config.dataDir,
      log,
      requestTimeoutMs: config.phpTimeoutSeconds * 1000,
      idleTimeoutMs: config.phpIdleMinutes * 60_000,
      requestsAtOnce: config.phpProcessesPerSite,
    }),
};

export const createRuntime: CreateRuntime = (config, log, outbound) => DRIVERS[config.runtime](config, log, outbound);
