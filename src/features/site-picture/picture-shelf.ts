import { mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** Pictures on this machine's disk, one of a site. All can be taken again, so that nothing is synced and nothing is missed. */
export interface KeptPicture {
  content: Buffer;
  type: 'image/webp' | 'image/svg+xml';
  takenAtMs: number;
}

const MAX_PICTURES = 5_000;
const ENDINGS = { 'image/webp': 'webp', 'image/svg+xml': 'svg' } as const;

export class PictureShelf {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  async find(siteId: string): Promise<KeptPicture | undefined> {
    for (const type of ['image/webp', 'image/svg+xml'] as const) {
      const file = this.#fileOf(siteId, type);
      const content = await readFile(file).catch(() => undefined);
      const at = content && (await stat(file).catch(() => undefined));
      if (content && at) return { content, type, takenAtMs: at.mtimeMs };
    }
    return undefined;
  }

  /** The whole file or none of it: somebody may read it in this moment. */
  async put(siteId: string, { content, type }: Pick<KeptPicture, 'content' | 'type'>): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    const file = this.#fileOf(siteId, type);
    const half = `${file}.${process.pid}.new`;
    const handle = await open(half, 'w', 0o600);
    await handle.writeFile(content).finally(() => handle.close());
    await rename(half, file);
    for (const other of ['image/webp', 'image/svg+xml'] as const)
      if (other !== type) await rm(this.#fileOf(siteId, other), { force: true });
  }

  /** Forgets pictures of sites that are gone, and the oldest beyond what is kept. */
  async tidy(existing: (siteIds: string[]) => Promise<Set<string>>): Promise<void> {
    const names = await readdir(this.#folder).catch(() => []);
    const ids = [...new Set(names.map((name) => name.slice(0, 36)))].filter((id) => /^[0-9a-f-]{36}$/.test(id));
    const known = await existing(ids);
    const kept: { name: string; atMs: number }[] = [];
    for (const name of names) {
      const at = await stat(join(this.#folder, name)).catch(() => undefined);
      const isWhole = /^[0-9a-f-]{36}\.(?:webp|svg)$/.test(name);
      if (at && isWhole && known.has(name.slice(0, 36))) kept.push({ name, atMs: at.mtimeMs });
      else if (isWhole || (at && Date.now() - at.mtimeMs > 3_600_000)) await this.#remove(name);
    }
    const newestFirst = kept.toSorted((a, b) => b.atMs - a.atMs);
    for (const { name } of newestFirst.slice(MAX_PICTURES)) await this.#remove(name);
  }

  #remove(name: string): Promise<void> {
    return rm(join(this.#folder, name), { force: true });
  }

  #fileOf(siteId: string, type: KeptPicture['type']): string {
    return join(this.#folder, `${siteId}.${ENDINGS[type]}`);
  }
}
