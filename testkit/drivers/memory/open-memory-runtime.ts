import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLog } from '#core/log.ts';
import type { DriverUnderTest } from '../../contracts/contract-site.ts';
import { type MemoryOptions, MemoryRuntime } from './memory-runtime.ts';
import type { Step } from './steps.ts';

/** The driver without PHP on a folder of its own. */
export async function openMemoryRuntime(options: Partial<MemoryOptions> = {}): Promise<DriverUnderTest> {
  const dataDir = await mkdtemp(join(tmpdir(), 'memory-'));
  const log = createLog(process.env.LOG_LEVEL ?? 'silent');
  const limits = { requestTimeoutMs: 2_000, idleTimeoutMs: 600_000, requestsAtOnce: 4 };
  const runtime = new MemoryRuntime({ dataDir, cacheDir: dataDir, log, ...limits, ...options });
  await runtime.open();
  return {
    runtime,
    put: (site, name, steps) => putProgram(runtime.contentFolder(site.id), name, steps),
    async close() {
      await runtime.close();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** Puts a program where a plugin's file would be, and tells its path. */
async function putProgram(contentFolder: string, name: string, steps: readonly Step[]): Promise<string> {
  const folder = join(contentFolder, 'plugins', 'probe');
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, name), JSON.stringify(steps));
  return `/wp-content/plugins/probe/${name}`;
}
