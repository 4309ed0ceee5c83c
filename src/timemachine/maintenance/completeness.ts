import { hashOfRef, parseJson, type Ref, readChunkList, readContent } from '../content.ts';
import { failedBy } from '../failure.ts';
import type { Hash } from '../hash.ts';
import type { Pool } from '../pool.ts';
import type { SiteRepository } from '../repository.ts';
import type { Snapshot } from '../snapshot.ts';
import { readTree } from '../tree.ts';

/**
 * Which snapshots of a site have all that they need. What was looked into once is remembered, so all snapshots of a site
 * together cost what they differ in. Whatever is missing is marked in its pool, so that nobody builds on it.
 */
export class Completeness {
  readonly #site: SiteRepository;
  readonly #known = new Map<string, Promise<boolean>>();
  readonly missing = new Set<Hash>();

  constructor(site: SiteRepository) {
    this.#site = site;
  }

  /** All of it is looked at, also where something is found missing. */
  isComplete(snapshot: Snapshot): Promise<boolean> {
    const { files, tables } = snapshot;
    const parts = Object.values(tables).map((ref) => () => this.#isTableComplete(ref));
    if (files !== null) parts.push(() => this.#isFolderComplete(files));
    return all(parts);
  }

  #isFolderComplete(ref: Ref): Promise<boolean> {
    const own = this.#site.private;
    return this.#once(`folder ${ref}`, async () => {
      if (!(await this.#isContentThere(ref, own))) return false;
      const entries = await readTree(this.#site, ref);
      return all(
        entries.map((entry) => async () => {
          if (entry.kind === 'link') return true;
          if (entry.kind === 'folder') return this.#isFolderComplete(entry.ref);
          return this.#isContentThere(entry.ref, entry.isShared ? this.#site.shared : own);
        }),
      );
    });
  }

  #isTableComplete(ref: Ref): Promise<boolean> {
    return this.#isListComplete(
      ref,
      (content) => (content as { nodes: [unknown, Ref][] }).nodes,
      (node) =>
        this.#isListComplete(
          node,
          (content) => content as [unknown, Ref][],
          (range) => this.#isContentThere(range, this.#site.private),
        ),
    );
  }

  #isListComplete(
    ref: Ref,
    partsOf: (content: unknown) => [unknown, Ref][],
    isPartComplete: (part: Ref) => Promise<boolean>,
  ): Promise<boolean> {
    return this.#once(`list ${ref}`, async () => {
      if (!(await this.#isContentThere(ref, this.#site.private))) return false;
      const parts = partsOf(parseJson(await readContent(this.#site, ref), ref));
      return all(
        parts.map(
          ([, part]) =>
            () =>
              isPartComplete(part),
        ),
      );
    });
  }

  async #isContentThere(ref: Ref, pool: Pool): Promise<boolean> {
    if (!ref.startsWith('+')) return this.#isThere(ref, pool);
    return this.#once(`${pool.prefix} ${ref}`, async () => {
      if (!(await this.#isThere(hashOfRef(ref), pool))) return false;
      const chunks = await readChunkList(this.#site, ref);
      return all(
        chunks.map(
          ([hash]) =>
            () =>
              this.#isThere(hash, pool),
        ),
      );
    });
  }

  async #isThere(hash: Hash, pool: Pool): Promise<boolean> {
    if (pool.isSound(hash)) return true;
    // A prune may have moved it since we looked.
    if (!this.missing.has(hash)) await pool.refresh();
    if (pool.isSound(hash)) return true;
    if (!pool.locate(hash)) await pool.markRotten(hash);
    this.missing.add(hash);
    return false;
  }

  #once(key: string, look: () => Promise<boolean>): Promise<boolean> {
    const known = this.#known.get(key) ?? look().catch(notIfCorrupt);
    this.#known.set(key, known);
    return known;
  }
}

async function all(parts: readonly (() => Promise<boolean>)[]): Promise<boolean> {
  let isComplete = true;
  for (const part of parts) if (!(await part())) isComplete = false;
  return isComplete;
}

function notIfCorrupt(error: unknown): false {
  if (failedBy(error, 'corrupt_object')) return false;
  throw error;
}
