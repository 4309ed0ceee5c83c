import type { ObjectReader, Ref } from '../content.ts';
import { type FileEntry, type FolderEntry, type LinkEntry, readTree, type TreeEntry } from '../tree.ts';

/** What it takes to make the files of now those of the point; nothing else is touched. */
export type FileChange =
  /** What is below a folder is removed before it, name by name; only what is in another's way goes with all it holds. */
  | { kind: 'remove'; path: string; before: TreeEntry; isInTheWay?: true }
  | { kind: 'folder'; path: string; entry: FolderEntry; before?: FolderEntry }
  | { kind: 'file'; path: string; entry: FileEntry; before?: TreeEntry }
  | { kind: 'attributes'; path: string; entry: FileEntry; before: FileEntry }
  | { kind: 'link'; path: string; entry: LinkEntry; before?: TreeEntry };

export interface FileCounters {
  filesAdded: number;
  filesDeleted: number;
  filesRestored: number;
  foldersAdded: number;
  foldersDeleted: number;
  /** How much is read and written. */
  bytes: number;
}

export interface FilePlan extends FileCounters {
  /** In an order in which they can be applied: what is in the way goes first, folders come before what is in them. */
  changes: FileChange[];
}

/** Compares two trees. Folders that both share are not looked into, so it costs what differs. */
export async function planFiles(
  reader: ObjectReader,
  now: Ref | null,
  point: Ref | null,
  options: { deleteExtra?: boolean; kept?: ReadonlySet<string> } = {},
): Promise<FilePlan> {
  const plan: FilePlan = {
    changes: [],
    filesAdded: 0,
    filesDeleted: 0,
    filesRestored: 0,
    foldersAdded: 0,
    foldersDeleted: 0,
    bytes: 0,
  };
  await new Comparison(reader, plan, options.deleteExtra ?? false, options.kept ?? new Set()).compare('', now, point);
  return plan;
}

class Comparison {
  readonly #reader: ObjectReader;
  readonly #plan: FilePlan;
  readonly #deleteExtra: boolean;
  /** What was there at the point but could not be stored is not extra. */
  readonly #kept: ReadonlySet<string>;

  constructor(reader: ObjectReader, plan: FilePlan, deleteExtra: boolean, kept: ReadonlySet<string>) {
    this.#kept = kept;
    this.#reader = reader;
    this.#plan = plan;
    this.#deleteExtra = deleteExtra;
  }

  async compare(path: string, now: Ref | null, point: Ref | null): Promise<void> {
    if (now === point) return;
    const before = new Map((now ? await readTree(this.#reader, now) : []).map((entry) => [entry.name, entry]));
    const after = point ? await readTree(this.#reader, point) : [];
    for (const entry of after) {
      await this.#bring(path === '' ? entry.name : `${path}/${entry.name}`, before.get(entry.name), entry);
      before.delete(entry.name);
    }
    if (!this.#deleteExtra) return;
    for (const entry of before.values()) await this.#remove(path === '' ? entry.name : `${path}/${entry.name}`, entry);
  }

  async #bring(path: string, before: TreeEntry | undefined, entry: TreeEntry): Promise<void> {
    const plan = this.#plan;
    // A folder and something else can not take each other's place by a rename.
    const isInTheWay = before && (before.kind === 'folder') !== (entry.kind === 'folder');
    if (isInTheWay) {
      await this.#remove(path, before, { isInTheWay: true });
      return this.#bring(path, undefined, entry);
    }
    if (entry.kind === 'folder') {
      const folder = before as FolderEntry | undefined;
      if (!folder) plan.foldersAdded++;
      if (folder?.mode !== entry.mode) {
        plan.changes.push({ kind: 'folder', path, entry, ...(folder ? { before: folder } : {}) });
      }
      return this.compare(path, folder?.ref ?? null, entry.ref);
    }
    if (before && isSame(before, entry)) return;
    if (before) plan.filesRestored++;
    else plan.filesAdded++;
    if (entry.kind === 'link') {
      plan.changes.push({ kind: 'link', path, entry, ...(before ? { before } : {}) });
    } else if (before?.kind === 'file' && before.ref === entry.ref) {
      plan.changes.push({ kind: 'attributes', path, entry, before });
    } else {
      plan.bytes += entry.sizeBytes;
      plan.changes.push({ kind: 'file', path, entry, ...(before ? { before } : {}) });
    }
  }

  async #remove(path: string, before: TreeEntry, options: { isInTheWay?: true } = {}): Promise<void> {
    if (this.#kept.has(path) && !options.isInTheWay) return;
    if (before.kind === 'folder') {
      this.#plan.foldersDeleted++;
      for (const below of await readTree(this.#reader, before.ref)) {
        await this.#remove(`${path}/${below.name}`, below);
      }
    } else this.#plan.filesDeleted++;
    this.#plan.changes.push({ kind: 'remove', path, before, ...options });
  }
}

function isSame(a: TreeEntry, b: TreeEntry): boolean {
  if (a.kind === 'link' && b.kind === 'link') return a.target === b.target;
  if (a.kind !== 'file' || b.kind !== 'file') return false;
  return a.ref === b.ref && a.mode === b.mode && a.modifiedUs === b.modifiedUs;
}
