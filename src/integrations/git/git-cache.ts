import { mkdir, readdir, rename, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { sizeOf } from './git-process.ts';

/** What was fetched of repositories, for the next time. Whoever uses one has it alone: it is moved away and brought back. */
export interface CacheLimits {
  maxEachBytes: number;
  maxCount: number;
}
const LIMITS: CacheLimits = { maxEachBytes: 128 * 1024 * 1024, maxCount: 100 };

export class GitCache {
  readonly #folder: string;
  readonly #limits: CacheLimits;

  constructor(folder: string, limits: Partial<CacheLimits> = {}) {
    this.#folder = folder;
    this.#limits = { ...LIMITS, ...limits };
  }

  /** False where there is none, or somebody else has it. */
  async take(name: string, to: string): Promise<boolean> {
    return rename(join(this.#folder, name), to).then(
      () => true,
      () => false,
    );
  }

  /** What has grown too large is fetched anew the next time, and those that were not used for longest go. */
  async keep(name: string, from: string): Promise<void> {
    if ((await sizeOf(from)) > this.#limits.maxEachBytes) return;
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    await rm(join(from, 'index'), { force: true });
    await this.#remove(name);
    // Where another one was quicker, its own does as well.
    await rename(from, join(this.#folder, name)).catch(() => {});
    await utimes(join(this.#folder, name), new Date(), new Date()).catch(() => {});
    const names = await readdir(this.#folder);
    if (names.length <= this.#limits.maxCount) return;
    const ages = await Promise.all(
      names.map(async (each) => ({
        each,
        usedMs: (await stat(join(this.#folder, each)).catch(() => undefined))?.mtimeMs ?? 0,
      })),
    );
    ages.sort((a, b) => b.usedMs - a.usedMs);
    for (const { each } of ages.slice(this.#limits.maxCount)) await this.#remove(each);
  }

  #remove(name: string): Promise<void> {
    return rm(join(this.#folder, name), { recursive: true, force: true });
  }
}
