import { globSync, mkdtempSync, rmSync } from 'node:fs';
import { enableCompileCache, flushCompileCache } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createLog } from '#core/log.ts';
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
for (const file of globSync('dist/assets/*.js', { cwd: root })) await import(join(root, file));
flushCompileCache();

const dataDir = mkdtempSync(join(tmpdir(), 'prepare-'));
const runtime = new PhpWasmRuntime({
  dataDir,
  cacheDir: resolve(folder),
  log: createLog('info'),
  standbyWorkers: 0,
  memoryBudgetBytes: 1024 ** 3,
  requestTimeoutMs: 60_000,
  idleTimeoutMs: 60_000,
  processesPerSite: 1,
  requestsPerProcess: 100,
  compiler: 'optimizing',
  sandbox: 'none',
  allowedNetworks: [],
});
try {
  await runtime.open();
  await runtime.prepared();
} finally {
  await runtime.close();
  rmSync(dataDir, { recursive: true, force: true });
}
// What was only loaded may hold the process open.
process.exit();
