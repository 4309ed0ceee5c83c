import type { Ref } from '../content.ts';
import { failedBy } from '../failure.ts';
import { findEntry, openContent } from '../read.ts';
import type { SiteRepository } from '../repository.ts';
import type { FileChange } from '../restore/file-plan.ts';
import type { Snapshot } from '../snapshot.ts';
import { type FileEntry, readTree } from '../tree.ts';
import type { TellRules, ToldFolder } from './tell-rules.ts';

/** A site names things as it likes and may have one for each file: beyond so many they are told as others are. */
const GROUPS = 300;
const TEXT_LENGTH = 120;
/** So many labels are looked for, each in so many files. */
const LABELS = 60;
const LABELS_OF_FOLDER = 4;
const LABEL_BYTES = 8192;

type OfFile = Exclude<FileChange, { kind: 'folder' | 'attributes' }>;

export function isTold(change: FileChange, silent: readonly RegExp[]): change is OfFile {
  if (change.kind === 'folder' || change.kind === 'attributes') return false;
  if (change.kind === 'remove' && change.before.kind === 'folder') return false;
  return !silent.some((pattern) => pattern.test(change.path));
}

/** Files that changed, told by the folder that they are in. */
export async function tellFolders(changes: readonly OfFile[], rules: TellRules, labels: Labels): Promise<ToldFolder[]> {
  const folders = rules.folders.map((pattern) => new RegExp(pattern));
  const found = new Map<string, ToldFolder>();
  for (const { kind, path, ...change } of changes) {
    const named = folders.map((pattern) => pattern.exec(path)?.[1]).find((name) => name !== undefined) ?? '';
    const folder = found.size < GROUPS || found.has(named) ? named.slice(0, TEXT_LENGTH) : '';
    const known = found.get(folder) ?? emptyFolder(folder, path);
    found.set(folder, known);
    const isThere = kind !== 'remove';
    known[change.before ? (isThere ? 'changed' : 'removed') : 'added']++;
  }
  for (const told of found.values()) {
    told.before = await labels.of(told.folder, 'from');
    told.after = await labels.of(told.folder, 'to');
  }
  return [...found.values()];
}

function emptyFolder(folder: string, path: string): ToldFolder {
  return { folder, added: 0, changed: 0, removed: 0, example: path.slice(0, TEXT_LENGTH), before: null, after: null };
}

type Label = Record<string, string>;

/** What folders say of themselves. */
export class Labels {
  readonly #repository: SiteRepository;
  readonly #sides: { from: Snapshot; to: Snapshot };
  readonly #rules: { folder: RegExp; files: RegExp; fields: string[] }[];
  #left = LABELS;

  constructor(repository: SiteRepository, sides: { from: Snapshot; to: Snapshot }, rules: TellRules['labels']) {
    this.#repository = repository;
    this.#sides = sides;
    this.#rules = rules.map(({ folder, files, fields }) => {
      return { folder: new RegExp(folder), files: new RegExp(files), fields };
    });
  }

  /** Null where it has none, it can not be read, or too many were asked for. */
  async of(path: string, side: 'from' | 'to'): Promise<Label | null> {
    const rule = this.#rules.find(({ folder }) => folder.test(path));
    if (!rule || this.#left-- <= 0) return null;
    try {
      for (const file of await this.#filesOf(path, this.#sides[side], rule.files)) {
        const label = labelIn(await this.#beginningOf(file.ref), rule.fields);
        if (label) return label;
      }
    } catch (error) {
      if (!failedBy(error, 'corrupt_object', 'missing_object')) throw error;
    }
    return null;
  }

  /** First the one that is called as its folder is, as most are. */
  async #filesOf(path: string, snapshot: Snapshot, files: RegExp): Promise<FileEntry[]> {
    const found = await findEntry(this.#repository, snapshot, path);
    const entries = found?.kind === 'folder' ? await readTree(this.#repository, found.ref) : found ? [found] : [];
    const own = `${path.slice(path.lastIndexOf('/') + 1)}.`;
    const isOwn = ({ name }: FileEntry) => Number(name.startsWith(own));
    return entries
      .filter((entry): entry is FileEntry => entry.kind === 'file' && files.test(entry.name))
      .sort((a, b) => isOwn(b) - isOwn(a))
      .slice(0, LABELS_OF_FOLDER);
  }

  async #beginningOf(ref: Ref): Promise<string> {
    const content = await openContent(this.#repository, ref);
    for await (const piece of content.read(0, LABEL_BYTES)) return piece.toString('utf8');
    return '';
  }
}

/** Null where the first of the fields is not there. */
export function labelIn(text: string, fields: readonly string[]): Label | null {
  const lines = text.split(/[\r\n]/);
  const label: Label = {};
  for (const field of fields) {
    const line = lines.find((each) => each.replace(/^[\s/*#@]*/, '').startsWith(`${field}:`));
    const value = line
      ?.slice(line.indexOf(':') + 1)
      .split(/\*\/|\?>/, 1)[0]
      ?.trim();
    if (value) label[field] = value.slice(0, TEXT_LENGTH);
  }
  return fields[0] !== undefined && label[fields[0]] !== undefined ? label : null;
}
