import { globSync, mkdtempSync, rmSync } from 'node:fs';
import { enableCompileCache, flushCompileCache } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createLog } from '#core/log.ts';
import { Outbound } from '#core/outbound.ts';
import { findGround } from '#runtimes/fpm/fpm-ground.ts';
import { FpmRuntime } from '#runtimes/fpm/fpm-runtime.ts';
import { PhpWasmRuntime } from '#runtimes/php-wasm/php-wasm-runtime.ts';

/**
 * What an image of a container should have ready, since its pods may write nowhere: WordPress and a site as it is new, in a folder for CACHE_DIR, and the service as V8
 * has compiled it, beside the service. V8 keeps that for each user, so run it as the one who will run the service.
 *   node scripts/prepare-image.ts FOLDER
 */
const [folder] = process.argv.slice(2);
if (!folder) {
  console.error('Usage: node scripts/prepare-image.ts FOLDER');
  process.exit(1);
}
const root = join(import.meta.dirname, '..');

enableCompileCache(join(root, 'node_modules/.cache/siteyard'));
for (const file of globSync(['dist/assets/*.js', 'dist/dashboard/server.mjs'], { cwd: root }))
  await import(join(root, file));
flushCompileCache();

const cacheDir = resolve(folder);
const log = createLog('info');
const limits = {
  memoryBudgetBytes: 1024 ** 3,
  requestTimeoutMs: 60_000,
  idleTimeoutMs: 60_000,
  requestsPerProcess: 100,
};
await prepare((dataDir) => {
  const own = { standbyWorkers: 0, processesPerSite: 1, compiler: 'optimizing', sandbox: 'none' } as const;
  return new PhpWasmRuntime({ ...limits, ...own, dataDir, cacheDir, log, allowedNetworks: [] });
});
// Where there is native PHP it has a new site of its own, and what it compiles of WordPress.
const missing = await findGround('auto', cacheDir).then(
  () => undefined,
  (error: Error) => error.message,
);
if (missing === undefined)
  await prepare((dataDir) => {
    const own = { processesPerSite: 2, sandbox: 'auto', outbound: new Outbound({ allow: [] }) } as const;
    return new FpmRuntime({ ...limits, ...own, dataDir, cacheDir, log });
  });
else log.info(`nothing is prepared for RUNTIME=fpm: ${missing}`);
// What was only loaded may hold the process open.
process.exit();

async function prepare(make: (dataDir: string) => PhpWasmRuntime | FpmRuntime): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), 'prepare-'));
  const runtime = make(dataDir);
  try {
    await runtime.open();
    await runtime.prepared();
    if (runtime instanceof FpmRuntime) await runtime.compiled();
  } finally {
    await runtime.close();
    rmSync(dataDir, { recursive: true, force: true });
  }
}
