import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { Random } from '#testkit/random.ts';
import { type Argument, pathOf, type SystemCall } from './system-calls.ts';

/**
 * A folder as it may be found after a power cut. What is sure is what was synced: the bytes of a file by its own fsync, the names
 * in a folder by the folder's. Everything else may be there or not, in any combination and by halves, which is more
 * than any file system in use takes liberties with. Only a rename happens as a whole, as it does on all of them.
 */
interface Span {
  start: number;
  end: number;
}

interface Node {
  kind: 'file' | 'folder' | 'link';
  target: string;
  syncs: Span[];
  /** As programs see it, without a power cut. */
  entries: Map<string, Node>;
  bytes: Buffer;
  changes: (Span & ({ offset: number; data: Buffer } | { size: number }))[];
}

type Place = { folder: Node; name: string };

/** A name that appears, goes, or both at once. */
interface NameChange extends Span {
  node: Node;
  removed?: Place;
  added?: Place;
}

/** What becomes of everything that was not synced. */
export const FATES = ['lost', 'only names kept', 'only contents kept', 'up to chance'] as const;
export type Fate = (typeof FATES)[number];

const SECTOR_BYTES = 512;
const PAGE_BYTES = 4096;

export class RecordedDisk {
  readonly #root: string;
  readonly #tree = newNode('folder');
  readonly #names: NameChange[] = [];
  /** Where the next write without a position goes, by descriptor and file. */
  readonly #positions = new Map<string, number>();

  /** What each system call does; some have an older form without folders. */
  readonly #effects: Record<string, (call: SystemCall, ...args: (Argument | undefined)[]) => void> = {
    open: (call, path, flags) => this.#opened(call, pathOf(undefined, path), flags?.text),
    openat: (call, folder, path, flags) => this.#opened(call, pathOf(folder, path), flags?.text),
    creat: (call, path) => this.#opened(call, pathOf(undefined, path), 'O_CREAT|O_TRUNC'),
    lseek: (call, file) => this.#moveTo(file, Number(call.result.text)),
    write: (call, file, data) => this.#write(call, file, data?.bytes),
    writev: (call, file, data) => this.#write(call, file, data?.bytes),
    pwrite64: (call, file, data, _length, offset) => this.#write(call, file, data?.bytes, numberIn(offset)),
    pwritev: (call, file, data, _length, offset) => this.#write(call, file, data?.bytes, numberIn(offset)),
    pwritev2: (call, file, data, _length, offset) => this.#write(call, file, data?.bytes, numberIn(offset)),
    copy_file_range: (call, from, fromOffset, to, toOffset) => this.#copy(call, from, fromOffset, to, toOffset),
    sendfile: (call, to, from, fromOffset) => this.#copy(call, from, fromOffset, to, undefined),
    ftruncate: (call, file, size) => this.#resize(call, this.#opens(file), Number(size?.text)),
    truncate: (call, path, size) => this.#resize(call, this.#find(pathOf(undefined, path)), Number(size?.text)),
    fallocate: (call, file, _mode, offset, length) => {
      const size = Number(offset?.text) + Number(length?.text);
      this.#resize(call, this.#opens(file), Math.max(size, this.#opens(file)?.bytes.length ?? 0));
    },
    fsync: (call, file) => this.#opens(file)?.syncs.push(spanOf(call)),
    fdatasync: (call, file) => this.#opens(file)?.syncs.push(spanOf(call)),
    mkdir: (call, path) => this.#make(call, pathOf(undefined, path), newNode('folder')),
    mkdirat: (call, folder, path) => this.#make(call, pathOf(folder, path), newNode('folder')),
    symlink: (call, target, path) => this.#make(call, pathOf(undefined, path), newNode('link', String(target?.bytes))),
    symlinkat: (call, target, folder, path) =>
      this.#make(call, pathOf(folder, path), newNode('link', String(target?.bytes))),
    link: (call, from, to) => this.#make(call, pathOf(undefined, to), this.#find(pathOf(undefined, from))),
    linkat: (call, fromFolder, from, toFolder, to) =>
      this.#make(call, pathOf(toFolder, to), this.#find(pathOf(fromFolder, from))),
    unlink: (call, path) => this.#remove(call, pathOf(undefined, path)),
    rmdir: (call, path) => this.#remove(call, pathOf(undefined, path)),
    unlinkat: (call, folder, path) => this.#remove(call, pathOf(folder, path)),
    rename: (call, from, to) => this.#rename(call, pathOf(undefined, from), pathOf(undefined, to)),
    renameat: (call, fromFolder, from, toFolder, to) =>
      this.#rename(call, pathOf(fromFolder, from), pathOf(toFolder, to)),
    renameat2: (call, fromFolder, from, toFolder, to) =>
      this.#rename(call, pathOf(fromFolder, from), pathOf(toFolder, to)),
  };

  /** The folder was empty when the record began, unless it is told what was in it and lasts. */
  constructor(root: string, hasContent = false) {
    this.#root = root;
    if (hasContent) this.#load(this.#tree, root);
  }

  /** Before all that is in the record. */
  #load(folder: Node, path: string): void {
    const before = { start: -1, end: -1 };
    folder.syncs.push({ start: 0, end: 0 });
    for (const entry of readdirSync(path, { withFileTypes: true })) {
      if (!entry.isFile() && !entry.isDirectory()) continue;
      const node = newNode(entry.isDirectory() ? 'folder' : 'file');
      folder.entries.set(entry.name, node);
      this.#names.push({ ...before, node, added: { folder, name: entry.name } });
      if (entry.isDirectory()) this.#load(node, join(path, entry.name));
      else {
        node.bytes = readFileSync(join(path, entry.name));
        // A copy, for the bytes as programs see them are written over.
        node.changes.push({ ...before, offset: 0, data: Buffer.from(node.bytes) });
        node.syncs.push({ start: 0, end: 0 });
      }
    }
  }

  /** Calls have to come in the order of their ends. */
  add(call: SystemCall): void {
    this.#effects[call.name]?.(call, ...call.args);
  }

  /** Writes what a power cut at this place of the record leaves into an empty folder; some of what lies in the root is left out. */
  writeStateTo(target: string, cut: number, fate: Fate, random: Random, leftOut: readonly string[]): void {
    const names = this.#namesAt(cut, fate, random);
    const write = (node: Node, path: string) => {
      if (node.kind === 'file') writeFileSync(path, contentAt(node, cut, fate, random));
      if (node.kind !== 'folder') return;
      mkdirSync(path, { recursive: true });
      for (const [name, child] of names.get(node) ?? []) write(child, join(path, name));
    };
    for (const name of leftOut) names.get(this.#tree)?.delete(name);
    write(this.#tree, target);
  }

  #namesAt(cut: number, fate: Fate, random: Random): Map<Node, Map<string, Node>> {
    const names = new Map<Node, Map<string, Node>>();
    const entriesOf = (folder: Node) => names.get(folder) ?? names.set(folder, new Map()).get(folder) ?? new Map();
    // After a change that was lost, the next one of the same name has nothing to build on.
    const lost = new Map<Node, Set<string>>();
    const lostIn = (folder: Node) => lost.get(folder) ?? lost.set(folder, new Set()).get(folder) ?? new Set();
    for (const { start, end, node, removed, added } of this.#names) {
      if (start > cut) continue;
      const places = [removed, added].filter((place) => place !== undefined);
      const isSure = end < lastSyncStart((added ?? removed)?.folder, cut);
      const hasGround = !places.some(({ folder, name }) => lostIn(folder).has(name));
      const isKept = isSure || (hasGround && keepsName(fate, random));
      for (const { folder, name } of places) {
        if (isKept) lostIn(folder).delete(name);
        else lostIn(folder).add(name);
      }
      if (!isKept) continue;
      if (removed && entriesOf(removed.folder).get(removed.name) === node)
        entriesOf(removed.folder).delete(removed.name);
      if (added) entriesOf(added.folder).set(added.name, node);
    }
    return names;
  }

  #opened(call: SystemCall, path: string, flags = ''): void {
    const position = flags.includes('O_APPEND') ? (this.#find(path)?.bytes.length ?? 0) : 0;
    this.#moveTo(call.result, position);
    if (!this.#isInside(path)) return;
    if (flags.includes('O_CREAT') && !this.#find(path)) this.#make(call, path, newNode('file'));
    else if (flags.includes('O_TRUNC')) this.#resize(call, this.#find(path), 0);
  }

  #write(call: SystemCall, to: Argument | undefined, data: Buffer = Buffer.alloc(0), offset?: number): void {
    const file = this.#opens(to);
    if (!file) return;
    const written = data.subarray(0, Number(call.result.text));
    const at = offset ?? this.#positions.get(keyOf(to)) ?? 0;
    if (offset === undefined) this.#moveTo(to, at + written.length);
    file.changes.push({ start: call.start, end: call.end, offset: at, data: written });
    file.bytes = overwritten(file.bytes, at, written);
  }

  #copy(
    call: SystemCall,
    from: Argument | undefined,
    fromOffset: Argument | undefined,
    to: Argument | undefined,
    toOffset: Argument | undefined,
  ): void {
    if (!this.#opens(to)) return;
    const source = this.#opens(from)?.bytes ?? readFileSync(from?.path ?? '');
    const start = numberIn(fromOffset) ?? this.#positions.get(keyOf(from)) ?? 0;
    const count = Number(call.result.text);
    if (numberIn(fromOffset) === undefined) this.#moveTo(from, start + count);
    this.#write(call, to, Buffer.from(source.subarray(start, start + count)), numberIn(toOffset));
  }

  #resize({ start, end }: SystemCall, file: Node | undefined, size: number): void {
    if (!file || file.bytes.length === size) return;
    file.changes.push({ start, end, size });
    file.bytes = resized(file.bytes, size);
  }

  #make({ start, end }: SystemCall, path: string, node: Node | undefined): void {
    const added = this.#placeOf(path);
    if (!added || !node) return;
    added.folder.entries.set(added.name, node);
    this.#names.push({ start, end, node, added });
  }

  #remove({ start, end }: SystemCall, path: string): void {
    const removed = this.#placeOf(path);
    const node = removed?.folder.entries.get(removed.name);
    // Sockets come and go unseen.
    if (!removed || !node) return;
    removed.folder.entries.delete(removed.name);
    this.#names.push({ start, end, node, removed });
  }

  #rename({ start, end }: SystemCall, from: string, to: string): void {
    const [removed, added] = [this.#placeOf(from), this.#placeOf(to)];
    const node = removed?.folder.entries.get(removed.name);
    if (!removed || !added || !node) {
      if (this.#isInside(from) || this.#isInside(to)) throw new Error(`${from} was renamed to ${to} unforeseen`);
      return;
    }
    removed.folder.entries.delete(removed.name);
    added.folder.entries.set(added.name, node);
    this.#names.push({ start, end, node, removed, added });
  }

  /** The file or folder that a descriptor has open, where it is one of ours and still has a name. */
  #opens(descriptor: Argument | undefined): Node | undefined {
    const { path, isDeleted } = descriptor ?? {};
    if (!path || isDeleted || !this.#isInside(path)) return undefined;
    const node = this.#find(path);
    if (!node) throw new Error(`${path} came into being unseen`);
    return node;
  }

  #moveTo(descriptor: Argument | undefined, position: number): void {
    if (descriptor?.path && this.#isInside(descriptor.path)) this.#positions.set(keyOf(descriptor), position);
  }

  #isInside(path: string): boolean {
    return path === this.#root || path.startsWith(`${this.#root}/`);
  }

  #placeOf(path: string): Place | undefined {
    const parts = path.split('/');
    const name = parts.pop() ?? '';
    const folder = this.#find(parts.join('/'));
    return folder?.kind === 'folder' ? { folder, name } : undefined;
  }

  /** Follows links on the way. */
  #find(path: string): Node | undefined {
    if (!this.#isInside(path)) return undefined;
    let node: Node | undefined = this.#tree;
    const parts = relative(this.#root, path).split('/').filter(Boolean);
    for (const [index, part] of parts.entries()) {
      node = node?.entries.get(part);
      const rest = parts.slice(index + 1);
      if (node?.kind === 'link' && rest.length > 0) return this.#find(join(node.target, ...rest));
    }
    return node;
  }
}

function spanOf({ start, end }: SystemCall): Span {
  return { start, end };
}

function newNode(kind: Node['kind'], target = ''): Node {
  return { kind, target, syncs: [], entries: new Map(), bytes: Buffer.alloc(0), changes: [] };
}

/** Whatever ended before this is on disk. */
function lastSyncStart(node: Node | undefined, cut: number): number {
  return node?.syncs.reduce((last, { start, end }) => (end <= cut ? Math.max(last, start) : last), -1) ?? -1;
}

function contentAt(node: Node, cut: number, fate: Fate, random: Random): Buffer {
  const sure = lastSyncStart(node, cut);
  let bytes: Buffer = Buffer.alloc(0);
  for (const change of node.changes) {
    if (change.start > cut) continue;
    const isSure = change.end < sure;
    if ('size' in change) {
      if (isSure || keepsContent(fate, random)) bytes = resized(bytes, change.size);
      continue;
    }
    const pieces = isSure ? [change] : survivingPieces(change, fate, random);
    for (const { offset, data } of pieces) bytes = overwritten(bytes, offset, data);
  }
  return bytes;
}

function keepsName(fate: Fate, random: Random): boolean {
  return fate === 'only names kept' || (fate === 'up to chance' && random.below(2) === 0);
}

function keepsContent(fate: Fate, random: Random): boolean {
  return fate === 'only contents kept' || (fate === 'up to chance' && random.below(2) === 0);
}

/** A write may be cut off within a page, and of several pages each may be missing. */
function survivingPieces(
  { offset, data }: { offset: number; data: Buffer },
  fate: Fate,
  random: Random,
): { offset: number; data: Buffer }[] {
  if (fate !== 'up to chance') return keepsContent(fate, random) ? [{ offset, data }] : [];
  const pieces: { offset: number; data: Buffer }[] = [];
  for (let from = 0; from < data.length; ) {
    const page = Math.min(data.length - from, PAGE_BYTES - ((offset + from) % PAGE_BYTES));
    const kept = random.pick([0, page, random.below(page / SECTOR_BYTES) * SECTOR_BYTES]);
    if (kept > 0) pieces.push({ offset: offset + from, data: data.subarray(from, from + kept) });
    from += page;
  }
  return pieces;
}

function overwritten(bytes: Buffer, offset: number, data: Buffer): Buffer {
  const result = resized(bytes, Math.max(bytes.length, offset + data.length));
  data.copy(result, offset);
  return result;
}

function resized(bytes: Buffer, size: number): Buffer {
  if (size <= bytes.length) return bytes.subarray(0, size);
  const result = Buffer.alloc(size);
  bytes.copy(result);
  return result;
}

function keyOf(descriptor: Argument | undefined): string {
  return `${descriptor?.text} ${descriptor?.path}`;
}

function numberIn(argument: Argument | undefined): number | undefined {
  const found = /\d+/.exec(argument?.text ?? '')?.[0];
  return found === undefined ? undefined : Number(found);
}
