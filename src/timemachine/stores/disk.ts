import { randomBytes } from 'node:crypto';
import { closeSync, openSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { corruptObject } from '../hash.ts';
import { diskOperations, type FileOperations } from './file-operations.ts';
import { readOpen } from './read-part.ts';
import { assertKey, type ByteRange, missingObject, type Store, type StoredObject } from './store.ts';

const TEMPORARY = '.new-';
const OPEN_FILES = 64;
/** Nobody writes one object for that long, so what is older was left by a process that died. */
const ABANDONED_AFTER_MS = 24 * 3600_000;

/** A store in a folder. A put is a temporary file, fsync, rename and fsync of the folder: whole or not there. */
export class DiskStore implements Store {
  readonly #folder: string;
  readonly #operations: FileOperations;
  readonly #madeFolders = new Set<string>();
  /** Objects never change, so an open file stays right for as long as we like; the oldest is closed first. */
  readonly #open = new Map<string, number>();

  constructor(folder: string, operations: FileOperations = diskOperations) {
    this.#folder = folder;
    this.#operations = operations;
  }

  async put(key: string, parts: readonly Uint8Array[]): Promise<void> {
    assertKey(key);
    const path = join(this.#folder, key);
    const folder = dirname(path);
    await this.#makeFolder(folder);
    const temporary = join(folder, `${TEMPORARY}${randomBytes(9).toString('hex')}`);
    try {
      await this.#operations.writeNew(temporary, parts);
      await this.#operations.rename(temporary, path);
    } catch (error) {
      await this.#operations.remove(temporary).catch(() => {});
      throw error;
    }
    await this.#operations.syncFolder(folder);
  }

  async get(key: string, range?: ByteRange): Promise<Buffer> {
    assertKey(key);
    const file = this.#fileOf(key);
    return readOrFail(key, () => readOpen(file, key, range));
  }

  async list(prefix: string): Promise<StoredObject[]> {
    const found: StoredObject[] = [];
    const visit = (below: string) => {
      for (const entry of entriesOf(join(this.#folder, below))) {
        if (entry.name.startsWith(TEMPORARY)) continue;
        const key = below === '' ? entry.name : `${below}/${entry.name}`;
        if (entry.isDirectory()) {
          visit(key);
          continue;
        }
        const stat = statSync(join(this.#folder, key), { throwIfNoEntry: false });
        if (stat) found.push({ key, sizeBytes: stat.size, storedAtMs: stat.mtimeMs });
      }
    };
    visit(prefix);
    return found.sort((a, b) => (a.key < b.key ? -1 : 1));
  }

  async names(prefix: string): Promise<string[]> {
    return entriesOf(join(this.#folder, prefix))
      .map(({ name }) => name)
      .filter((name) => !name.startsWith(TEMPORARY))
      .sort();
  }

  async delete(key: string): Promise<void> {
    assertKey(key);
    this.#close(key);
    await this.#operations.unlink(join(this.#folder, key));
  }

  async removeAbandoned(nowMs = Date.now()): Promise<void> {
    const visit = async (folder: string): Promise<void> => {
      for (const entry of entriesOf(folder)) {
        const path = join(folder, entry.name);
        if (entry.isDirectory()) await visit(path);
        else if (entry.name.startsWith(TEMPORARY)) {
          const stat = statSync(path, { throwIfNoEntry: false });
          if (stat && nowMs - stat.mtimeMs > ABANDONED_AFTER_MS) await this.#operations.remove(path);
        }
      }
    };
    await visit(this.#folder);
  }

  close(): void {
    for (const key of [...this.#open.keys()]) this.#close(key);
  }

  #fileOf(key: string): number {
    const known = this.#open.get(key);
    if (known !== undefined) {
      this.#open.delete(key);
      this.#open.set(key, known);
      return known;
    }
    let file: number;
    try {
      file = openSync(join(this.#folder, key), 'r');
    } catch (error) {
      throw (error as NodeJS.ErrnoException).code === 'ENOENT' ? missingObject(key) : error;
    }
    this.#open.set(key, file);
    for (const [oldest] of this.#open) {
      if (this.#open.size <= OPEN_FILES) break;
      this.#close(oldest);
    }
    return file;
  }

  #close(key: string): void {
    const file = this.#open.get(key);
    if (file !== undefined) closeSync(file);
    this.#open.delete(key);
  }

  /** A new folder's own name must be durable too, up to the store's root. */
  async #makeFolder(folder: string): Promise<void> {
    if (this.#madeFolders.has(folder)) return;
    if (!statSync(folder, { throwIfNoEntry: false })) {
      const parent = dirname(folder);
      if (folder.startsWith(this.#folder) && folder !== this.#folder) await this.#makeFolder(parent);
      await this.#operations.makeFolder(folder);
      await this.#operations.syncFolder(parent);
    }
    this.#madeFolders.add(folder);
  }
}

/** What a disk can not give back any more is as good as other bytes. */
function readOrFail(key: string, read: () => Buffer): Buffer {
  try {
    return read();
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (!['EIO', 'EISDIR', 'EBADMSG', 'EUCLEAN'].includes(code)) throw error;
    throw corruptObject(`${key} can not be read (${code})`);
  }
}

function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
