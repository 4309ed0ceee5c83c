import type { ObjectReader, Ref } from '../content.ts';
import { type Conflict, type Decide, oursStays, type ThreeStates } from '../three-way.ts';
import { type FileEntry, type FolderEntry, type LinkEntry, readTree, type TreeEntry } from '../tree.ts';

/** What it takes to bring the changes of theirs to ours, which for a restore is what makes now the point; nothing else is touched. */
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
  conflicts: Conflict[];
}

export interface FilePlanOptions {
  /** Whether what theirs does not have is removed; otherwise it stays, and is in conflict with nothing. */
  deleteExtra?: boolean;
  /** What theirs has but could not store is not extra. */
  kept?: ReadonlySet<string>;
  decide?: Decide;
}

/** Compares trees. Folders that are the same are not looked into, so it costs what differs. */
export async function planFiles(
  reader: ObjectReader,
  { base, ours, theirs }: ThreeStates<Ref | null>,
  options: FilePlanOptions = {},
): Promise<FilePlan> {
  const plan: FilePlan = {
    changes: [],
    conflicts: [],
    filesAdded: 0,
    filesDeleted: 0,
    filesRestored: 0,
    foldersAdded: 0,
    foldersDeleted: 0,
    bytes: 0,
  };
  await new Comparison(reader, plan, options).compare('', base, ours, theirs);
  return plan;
}

class Comparison {
  readonly #reader: ObjectReader;
  readonly #plan: FilePlan;
  readonly #deleteExtra: boolean;
  readonly #kept: ReadonlySet<string>;
  readonly #decide: Decide;

  constructor(reader: ObjectReader, plan: FilePlan, options: FilePlanOptions) {
    this.#reader = reader;
    this.#plan = plan;
    this.#deleteExtra = options.deleteExtra ?? false;
    this.#kept = options.kept ?? new Set();
    this.#decide = options.decide ?? oursStays;
  }

  async compare(path: string, base: Ref | null, ours: Ref | null, theirs: Ref | null): Promise<void> {
    if (theirs === ours || theirs === base) return;
    const own = await this.#entriesOf(ours);
    const old = base === ours ? own : await this.#entriesOf(base);
    const extra = new Map(own);
    for (const entry of theirs ? await readTree(this.#reader, theirs) : []) {
      const { name } = entry;
      extra.delete(name);
      await this.#meet(pathOf(path, name), { base: old.get(name), ours: own.get(name), theirs: entry });
    }
    if (!this.#deleteExtra) return;
    for (const [name, entry] of extra) {
      const below = pathOf(path, name);
      if (!this.#kept.has(below)) {
        await this.#meet(below, { base: old.get(name), ours: entry, theirs: undefined });
      }
    }
  }

  async #entriesOf(folder: Ref | null): Promise<Map<string, TreeEntry>> {
    const entries = folder ? await readTree(this.#reader, folder) : [];
    return new Map(entries.map((entry) => [entry.name, entry]));
  }

  /** One name in its three states. */
  #meet(path: string, states: ThreeStates<TreeEntry | undefined>): Promise<void> | undefined {
    const { base, ours, theirs } = states;
    if (base === ours || isSame(base, ours)) return this.#take(path, ours, theirs);
    if (ours?.kind === 'folder' && theirs?.kind === 'folder') {
      const folder = base?.kind === 'folder' ? base : undefined;
      if (ours.mode !== theirs.mode && this.#isTaken(path, [folder?.mode, ours.mode, theirs.mode], states)) {
        this.#plan.changes.push({ kind: 'folder', path, entry: theirs, before: ours });
      }
      return this.compare(path, folder?.ref ?? null, ours.ref, theirs.ref);
    }
    if (base?.kind === 'folder' && ours?.kind === 'folder' && !theirs) return this.#removeRest(path, base, ours);
    if (base?.kind === 'folder' && theirs?.kind === 'folder' && !ours) return this.#bringNew(path, base, theirs);
    const contents = [contentOf(base), contentOf(ours), contentOf(theirs)] as const;
    if (contents[1] === contents[2] || !this.#isTaken(path, contents, states)) return undefined;
    return this.#take(path, ours, theirs);
  }

  /** Theirs has removed a folder in which ours has changed something since: that stays, and the folder with it. */
  async #removeRest(path: string, base: FolderEntry, ours: FolderEntry): Promise<void> {
    const { changes } = this.#plan;
    const start = changes.length;
    await this.compare(path, base.ref, ours.ref, null);
    const removed = new Set(changes.slice(start).flatMap((change) => (change.kind === 'remove' ? change.path : [])));
    const names = (await readTree(this.#reader, ours.ref)).map(({ name }) => pathOf(path, name));
    if (!names.every((name) => removed.has(name))) return;
    this.#plan.foldersDeleted++;
    changes.push({ kind: 'remove', path, before: ours });
  }

  /** Ours has removed a folder in which theirs has changed something since: that comes, and the folder for it. */
  async #bringNew(path: string, base: FolderEntry, theirs: FolderEntry): Promise<void> {
    const { changes } = this.#plan;
    const start = changes.length;
    changes.push({ kind: 'folder', path, entry: theirs });
    await this.compare(path, base.ref, null, theirs.ref);
    if (changes.length === start + 1) changes.pop();
    else this.#plan.foldersAdded++;
  }

  /** Whether theirs comes in, of something in which the two differ. */
  #isTaken<Value>(
    path: string,
    [was, own, other]: readonly [Value, Value, Value],
    states: ThreeStates<TreeEntry | undefined>,
  ): boolean {
    if (was === own) return true;
    if (was === other) return false;
    const conflict = { path, ...states };
    const taken = this.#decide(conflict);
    this.#plan.conflicts.push({ ...conflict, taken });
    return taken === 'theirs';
  }

  #take(path: string, ours: TreeEntry | undefined, theirs: TreeEntry | undefined): Promise<void> | undefined {
    if (theirs) return ours && isSame(ours, theirs) ? undefined : this.#bring(path, ours, theirs);
    return ours && this.#remove(path, ours);
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
      const ref = folder?.ref ?? null;
      return this.compare(path, ref, ref, entry.ref);
    }
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

/** What makes a file what it is: two that differ in nothing but their times were not changed in different ways. */
function contentOf(entry: TreeEntry | undefined): string {
  if (!entry) return '';
  return entry.kind === 'link' ? `link ${entry.target}` : `${entry.kind} ${entry.mode} ${entry.ref}`;
}

function isSame(a: TreeEntry | undefined, b: TreeEntry | undefined): boolean {
  if (!a || !b) return a === b;
  if (a.kind === 'link') return b.kind === 'link' && a.target === b.target;
  if (b.kind === 'link' || a.ref !== b.ref || a.mode !== b.mode) return false;
  return a.kind === 'file' ? b.kind === 'file' && a.modifiedUs === b.modifiedUs : b.kind === 'folder';
}

function pathOf(folder: string, name: string): string {
  return folder === '' ? name : `${folder}/${name}`;
}
