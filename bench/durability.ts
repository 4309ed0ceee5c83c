import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Runtime, SiteSpec } from '#runtimes/runtime.ts';
import { signRequest } from '#runtimes/wordpress/access.ts';
import { createSite, request } from '#testkit/contracts/contract-site.ts';
import { openTestRuntime } from '#testkit/drivers/wordpress-cache.ts';
import { median } from './load.ts';

/**
 * What it costs that all that WordPress acknowledged is on disk: the same work on the disk and in memory, where waiting for
 * the disk takes no time, in turns.
 */
const ROUNDS = 25;
const WARM_UP = 3;
const PICTURE_BYTES = 500_000;

const WORK = {
  'create a site': (place) => createSite(place.runtime, 'another.localhost'),
  'publish a post (REST)': (place) =>
    post(place, '/wp-json/wp/v2/posts', 'application/json', JSON.stringify({ title: 'A post', status: 'publish' })),
  'upload a file of 500 KB (REST)': (place) =>
    post(place, '/wp-json/wp/v2/media', 'text/plain', randomBytes(PICTURE_BYTES / 2).toString('hex')),
  'a page that is not cached': ({ runtime, site }) => request(runtime, site, { path: '/' }),
} satisfies Record<string, (place: Place) => Promise<unknown>>;

interface Place {
  runtime: Runtime;
  site: SiteSpec;
  close(): Promise<void>;
}

export interface DurabilityRow {
  work: string;
  diskMs: number;
  memoryMs: number;
}

export async function measureDurability(): Promise<DurabilityRow[]> {
  const disk = await openPlace(tmpdir());
  const memory = await openPlace('/dev/shm');
  try {
    const rows: DurabilityRow[] = [];
    for (const [work, run] of Object.entries(WORK)) {
      const times = { disk: [] as number[], memory: [] as number[] };
      for (let round = 0; round < ROUNDS + WARM_UP; round++) {
        times.disk.push(await timed(() => run(disk)));
        times.memory.push(await timed(() => run(memory)));
      }
      rows.push({ work, diskMs: median(times.disk.slice(WARM_UP)), memoryMs: median(times.memory.slice(WARM_UP)) });
    }
    return rows;
  } finally {
    await disk.close();
    await memory.close();
  }
}

async function openPlace(folder: string): Promise<Place> {
  const dataDir = await mkdtemp(join(folder, 'siteyard-bench-'));
  const { runtime, close } = await openTestRuntime({ dataDir, requestTimeoutMs: 60_000 });
  const site = await createSite(runtime, 'first.localhost');
  return { runtime, site, close: () => close().finally(() => rm(dataDir, { recursive: true, force: true })) };
}

async function post({ runtime, site }: Place, path: string, type: string, body: string): Promise<void> {
  const headers = {
    'content-type': type,
    'content-disposition': 'attachment; filename="file.txt"',
    'x-siteyard-as-administrator': '1',
    ...signRequest(site, { method: 'POST', path, body }),
  };
  const answer = await request(runtime, site, { method: 'POST', path, headers, body });
  if (answer.status !== 201) throw new Error(`${path} answered ${answer.status}: ${answer.text.slice(0, 500)}`);
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}
