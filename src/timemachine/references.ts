import { hashOfRef, type ObjectReader, parseJson, type Ref, readContent } from './content.ts';
import { failedBy } from './failure.ts';
import type { Hash } from './hash.ts';
import type { Snapshot } from './snapshot.ts';
import { readTree } from './tree.ts';

/**
 * Everything that snapshots need. What can not be read is told, and what only that would have named is not known: with
 * `onLost` the rest is found all the same, without it the first such thing is a failure. Folders and nodes that were seen are not looked into again, so all snapshots of a site
 * together cost what they differ in.
 */
export class References {
  readonly private = new Set<Hash>();
  readonly shared = new Set<Hash>();
  readonly #reader: ObjectReader;
  /** Refs of folders, tables and nodes that were looked into already. */
  readonly #seen = new Set<Ref>();

  readonly #onLost: ((error: Error) => void) | undefined;

  constructor(reader: ObjectReader, onLost?: (error: Error) => void) {
    this.#reader = reader;
    this.#onLost = onLost;
  }

  async addSnapshot(snapshot: Snapshot): Promise<void> {
    if (snapshot.files !== null) await this.#addFolder(snapshot.files);
    for (const ref of Object.values(snapshot.tables)) await this.#addTable(ref);
  }

  async #addFolder(ref: Ref): Promise<void> {
    if (!(await this.#isNew(ref))) return;
    for (const entry of (await this.#ifReadable(readTree(this.#reader, ref))) ?? []) {
      if (entry.kind === 'folder') await this.#addFolder(entry.ref);
      else if (entry.kind === 'file') await this.#addContent(entry.ref, entry.isShared ? this.shared : this.private);
    }
  }

  async #addTable(ref: Ref): Promise<void> {
    if (!(await this.#isNew(ref))) return;
    const root = await this.#read<{ nodes: [unknown, Ref][] }>(readContent(this.#reader, ref), `table ${ref}`);
    for (const [, node] of root?.nodes ?? []) {
      if (!(await this.#isNew(node))) continue;
      const ranges = await this.#read<[unknown, Ref][]>(readContent(this.#reader, node), `node ${node}`);
      for (const [, range] of ranges ?? []) await this.#addContent(range, this.private);
    }
  }

  async #isNew(ref: Ref): Promise<boolean> {
    if (this.#seen.has(ref)) return false;
    this.#seen.add(ref);
    await this.#addContent(ref, this.private);
    return true;
  }

  async #addContent(ref: Ref, pool: Set<Hash>): Promise<void> {
    const hash = hashOfRef(ref);
    const isKnown = pool.has(hash);
    pool.add(hash);
    if (!ref.startsWith('+') || isKnown) return;
    const chunks = await this.#read<[Hash, number][]>(this.#reader.read(hash), ref);
    for (const [chunk] of chunks ?? []) pool.add(chunk);
  }

  #read<Content>(bytes: Promise<Buffer>, what: string): Promise<Content | undefined> {
    return this.#ifReadable(bytes.then((content) => parseJson(content, what) as Content));
  }

  async #ifReadable<T>(reading: Promise<T>): Promise<T | undefined> {
    try {
      return await reading;
    } catch (error) {
      if (!this.#onLost || !failedBy(error, 'corrupt_object')) throw error;
      this.#onLost(error);
      return undefined;
    }
  }
}
