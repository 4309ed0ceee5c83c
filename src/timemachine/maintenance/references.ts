import { hashOfRef, type ObjectReader, parseJson, type Ref, readContent } from '../content.ts';
import type { Hash } from '../hash.ts';
import type { Snapshot } from '../snapshot.ts';
import { readTree } from '../tree.ts';

/**
 * Everything that snapshots need. Folders and nodes that were seen are not looked into again, so all snapshots of a site
 * together cost what they differ in.
 */
export class References {
  readonly private = new Set<Hash>();
  readonly shared = new Set<Hash>();
  readonly #reader: ObjectReader;
  /** Refs of folders, tables and nodes that were looked into already. */
  readonly #seen = new Set<Ref>();

  constructor(reader: ObjectReader) {
    this.#reader = reader;
  }

  async addSnapshot(snapshot: Snapshot): Promise<void> {
    if (snapshot.files !== null) await this.#addFolder(snapshot.files);
    for (const ref of Object.values(snapshot.tables)) await this.#addTable(ref);
  }

  async #addFolder(ref: Ref): Promise<void> {
    if (!(await this.#isNew(ref))) return;
    for (const entry of await readTree(this.#reader, ref)) {
      if (entry.kind === 'folder') await this.#addFolder(entry.ref);
      else if (entry.kind === 'file') await this.#addContent(entry.ref, entry.isShared ? this.shared : this.private);
    }
  }

  async #addTable(ref: Ref): Promise<void> {
    if (!(await this.#isNew(ref))) return;
    const root = parseJson(await readContent(this.#reader, ref), `table ${ref}`) as { nodes: [unknown, Ref][] };
    for (const [, node] of root.nodes) {
      if (!(await this.#isNew(node))) continue;
      const ranges = parseJson(await readContent(this.#reader, node), `node ${node}`) as [unknown, Ref][];
      for (const [, range] of ranges) await this.#addContent(range, this.private);
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
    const chunks = parseJson(await this.#reader.read(hash), ref) as [Hash, number][];
    for (const [chunk] of chunks) pool.add(chunk);
  }
}
