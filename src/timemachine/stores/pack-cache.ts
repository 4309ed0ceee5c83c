import { randomBytes } from 'node:crypto';
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Inventory } from './inventory.ts';
import { readPart } from './read-part.ts';
import type { ByteRange } from './store.ts';

/** So often a use is written down. */
const NOTED_MS = 60_000;
const TEMPORARY = '.new-';

/**
 * Copies of what is far away, as many bytes of them as fit; what was not used for longest goes first. All processes of a host share it. It may be lost at any
 * time, and what is in it is verified like everything else by whoever reads it.
 */
export class PackCache {
  readonly #inventory: Inventory;
  readonly #folder: string;
  readonly #mostBytes: number;

  constructor(inventory: Inventory, folder: string, mostBytes: number) {
    this.#inventory = inventory;
    this.#folder = folder;
    this.#mostBytes = mostBytes;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  }

  /** A part of what is kept under the name, which is of the object under the key. */
  read(name: string, key: string, range?: ByteRange): Buffer | undefined {
    const known = this.#inventory.cached(name);
    if (!known) return undefined;
    const bytes = readPart(this.#pathOf(name), key, range);
    if (!bytes) this.#inventory.dropCached(name);
    else if (Date.now() - known.usedAtMs > NOTED_MS) this.#inventory.noteUsed(name, Date.now());
    return bytes;
  }

  /** Whatever keeps it from being written: it is only a copy. */
  keep(name: string, bytes: Uint8Array): void {
    if (bytes.length > this.#mostBytes) return;
    const draft = join(this.#folder, `${TEMPORARY}${randomBytes(9).toString('hex')}`);
    try {
      writeFileSync(draft, bytes, { mode: 0o600 });
      this.#take(name, draft, bytes.length);
    } catch {
      rmSync(draft, { force: true });
    }
  }

  /** Takes over a file; false where there is no place for it. */
  adopt(name: string, path: string, bytes: number): boolean {
    if (bytes > this.#mostBytes) return false;
    this.#take(name, path, bytes);
    return true;
  }

  drop(name: string): void {
    if (this.#inventory.dropCached(name)) rmSync(this.#pathOf(name), { force: true });
  }

  /** What a kill left half-written. */
  async removeDrafts(isAbandoned: (path: string) => Promise<boolean>): Promise<void> {
    for (const name of await readdir(this.#folder)) {
      const path = join(this.#folder, name);
      if (name.startsWith(TEMPORARY) && (await isAbandoned(path))) rmSync(path, { force: true });
    }
  }

  #take(name: string, path: string, bytes: number): void {
    renameSync(path, this.#pathOf(name));
    this.#inventory.noteCached(name, bytes, Date.now());
    let total = this.#inventory.cacheBytes();
    while (total > this.#mostBytes) {
      const oldest = this.#inventory.leastUsed();
      if (!oldest) return;
      this.drop(oldest.name);
      total -= oldest.bytes;
    }
  }

  #pathOf(name: string): string {
    return join(this.#folder, name.replaceAll('/', '%'));
  }
}
