import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLog } from '#core/log.ts';
import { type PhpWasmOptions, PhpWasmRuntime } from '#runtimes/php-wasm/php-wasm-runtime.ts';
import type { DriverUnderTest } from '../contracts/contract-site.ts';
import { need } from '../runner/need.ts';
import { putPhpProgram } from './php-program.ts';

/** Tests share one WordPress and one image, kept between runs: fetching and installing it takes longer than most tests. */
export const WORDPRESS_CACHE = join(import.meta.dirname, '../../node_modules/.cache/siteyard');

/** Makes the cache complete, so that no two test files do it at once. */
export async function prepareWordPress(): Promise<void> {
  const { runtime, close } = await openTestRuntime();
  await runtime.prepared().finally(close);
}

/** The embedded driver on a folder of its own. */
export async function openTestRuntime(
  options: Partial<PhpWasmOptions> = {},
): Promise<DriverUnderTest & { runtime: PhpWasmRuntime; dataDir: string }> {
  await need('wordpress');
  const dataDir = options.dataDir ?? (await mkdtemp(join(tmpdir(), 'runtime-')));
  const runtime = new PhpWasmRuntime({
    cacheDir: WORDPRESS_CACHE,
    log: createLog(process.env.LOG_LEVEL ?? 'silent'),
    // A warm process beside each that serves is work that few tests look at.
    standbyWorkers: 0,
    memoryBudgetBytes: 4 * 1024 ** 3,
    requestTimeoutMs: 10_000,
    idleTimeoutMs: 600_000,
    processesPerSite: 4,
    requestsPerProcess: 10_000,
    allowedNetworks: [],
    // Most tests ask for a page or two, and a process that answers a thousand is what benchmarks are for.
    compiler: 'baseline',
    sandbox: 'auto',
    ...options,
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
