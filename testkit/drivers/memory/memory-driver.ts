import type { Drivers } from '../../../src/platform/drivers.ts';
import { MemoryRuntime } from './memory-runtime.ts';

/** What `startPlatform` and `runService` get so that RUNTIME=memory means something. The product has no such driver. */
export const memoryDriver = {
  memory: ({ config, log }) =>
    new MemoryRuntime({
      dataDir: config.dataDir,
      cacheDir: config.cacheDir,
      log,
      requestTimeoutMs: config.phpTimeoutSeconds * 1000,
      idleTimeoutMs: config.phpIdleMinutes * 60_000,
      requestsAtOnce: config.phpProcessesPerSite,
    }),
} satisfies Drivers;
