// SPDX-License-Identifier: GPL-2.0-or-later
import { constants, fstatSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import type { FileNode, FileSystem } from '@php-wasm/universal';

/**
 * What WordPress acknowledged is on disk before its answer leaves. php-wasm takes every fsync for done without doing anything, so
 * that SQLite only believes in its journal: here fsync reaches the disk (`sync`), in SQLite's own order and before it goes on.
 * Nobody calls fsync for other files, such as uploads, so this keeps the names of all that PHP wrote, made, renamed or
 * removed; `syncAll` makes them durable when the request has ended.
 */
export class DurableFiles {
  readonly #roots = new Set<string>();
  readonly #files = new Set<string>();
  readonly #folders = new Set<string>();
  /**
   * Node's permission model takes no fsync of a descriptor, only of a handle, which is another descriptor of the same file. Closing
   * that one would drop the locks that SQLite holds on its database, so handles stay open until the request has ended.
   */
  #handles: { path: string; ino: number; handle: FileHandle }[] = [];
  #fs: FileSystem | undefined;

  /** From now on PHP's changes are seen. */
  attach(fs: FileSystem): void {
    this.#fs = fs;
    const { node_ops: nodes, stream_ops: streams } = fs.filesystems.NODEFS;
    after(streams, 'write', (stream) => this.#wrote(stream.node));
    after(streams, 'setattr', (stream) => this.#wrote(stream.node));
    after(nodes, 'setattr', (node) => this.#wrote(node));
    after(nodes, 'mknod', (parent, name) => {
      this.#wroteIn(parent);
      if (this.#isKept(parent)) this.#files.add(this.#pathOf(parent, name));
    });
    after(nodes, 'symlink', (parent) => this.#wroteIn(parent));
    after(nodes, 'unlink', (parent, name) => this.#removed(parent, name));
    after(nodes, 'rmdir', (parent, name) => this.#removed(parent, name));
    const rename = nodes.rename;
    nodes.rename = (node, newParent, newName) => {
      // Emscripten gives the node its new name on the way.
      const [from, parent] = [this.#pathOf(node), node.parent];
      rename(node, newParent, newName);
      if (this.#isKept(newParent)) this.#moved(from, this.#pathOf(newParent, newName));
      this.#wroteIn(parent);
      this.#wroteIn(newParent);
    };
  }

  /** Keeps watch over a mounted folder; what is written to others may be lost. */
  keep(root: string): () => void {
    this.#roots.add(root);
    return () => this.#roots.delete(root);
  }

  /** Whether a file of the machine is one of the site's own. */
  isOwn(path: string): boolean {
    return [...this.#roots].some((root) => path.startsWith(`${root}/`));
  }

  /** fsync of one of PHP's descriptors: 0, or the number of the error as WASI has it. */
  async sync(descriptor: number): Promise<number> {
    const stream = this.#fs?.streams[descriptor];
    if (!stream) return WASI_EBADF;
    if (stream.nfd === undefined || !this.#isKept(stream.node)) return 0;
    const path = this.#pathOf(stream.node);
    try {
      const handle = await this.#handleOf(path, stream.nfd);
      // Size and content, which is all that reading needs; a folder has nothing else.
      await handle?.datasync();
    } catch {
      return WASI_EIO;
    }
    this.#files.delete(path);
    this.#folders.delete(path);
    return 0;
  }

  /** A handle of the very file that the descriptor has open; none where its name is no longer that file's. */
  async #handleOf(path: string, descriptor: number): Promise<FileHandle | undefined> {
    const { ino } = fstatSync(descriptor);
    // Another process of the site may have replaced a journal meanwhile.
    const known = this.#handles.find((each) => each.path === path && each.ino === ino);
    if (known) return known.handle;
    const handle = await openToSync(path);
    if (!handle) return undefined;
    const opened = { path, handle, ino: fstatSync(handle.fd).ino };
    this.#handles.push(opened);
    return opened.ino === ino ? handle : undefined;
  }

  /**
   * To be called between two requests. Resolves when everything that PHP has changed is on disk; fails where the disk does, and then
   * nothing may be acknowledged.
   */
  async syncAll(): Promise<void> {
    const [files, folders, handles] = [[...this.#files], [...this.#folders], this.#handles];
    this.#files.clear();
    this.#folders.clear();
    this.#handles = [];
    await inParallel(files, syncPath);
    await inParallel(folders, syncPath);
    await inParallel(handles, ({ handle }) => handle.close());
  }

  #isKept(node: FileNode): boolean {
    return this.#roots.has(node.mount.opts.root ?? '');
  }

  #pathOf(node: FileNode, name?: string): string {
    const path = this.#fs?.filesystems.NODEFS.realPath(node) ?? '';
    return name === undefined ? path : `${path}/${name}`;
  }

  #wrote(node: FileNode): void {
    if (this.#isKept(node)) this.#files.add(this.#pathOf(node));
  }

  #wroteIn(folder: FileNode): void {
    if (this.#isKept(folder)) this.#folders.add(this.#pathOf(folder));
  }

  #removed(parent: FileNode, name: string): void {
    if (!this.#isKept(parent)) return;
    this.#wroteIn(parent);
    const path = this.#pathOf(parent, name);
    this.#files.delete(path);
    this.#folders.delete(path);
    this.#closeHandles(path);
  }

  #moved(from: string, to: string): void {
    for (const paths of [this.#files, this.#folders]) {
      // A copy, since a path that is renamed to itself would come up again and again.
      for (const path of [...paths]) {
        if (!isWithin(path, from)) continue;
        paths.delete(path);
        paths.add(to + path.slice(from.length));
      }
    }
  }

  /** SQLite may make a journal for each of a thousand changes. Nobody waits for the end: a file without a name needs no lock. */
  #closeHandles(path: string): void {
    const closing = this.#handles.filter((each) => each.path === path);
    this.#handles = this.#handles.filter((each) => each.path !== path);
    for (const { handle } of closing) handle.close().catch(() => {});
  }
}

function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}/`);
}

const WASI_EBADF = 8;
const WASI_EIO = 29;
const AT_ONCE = 16;
/** It is gone, or the site has made it unreadable; whatever it is, nobody can read it. */
const NOTHING_TO_SYNC = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'EACCES']);

async function openToSync(path: string): Promise<FileHandle | undefined> {
  try {
    return await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    if (NOTHING_TO_SYNC.has((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw error;
  }
}

async function syncPath(path: string): Promise<void> {
  const handle = await openToSync(path);
  await handle?.sync().finally(() => handle.close());
}

/** A few at a time: the file system writes its own journal once for all that come together. */
async function inParallel<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const left = items.values();
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (const item of left) await work(item);
    }),
  );
}

/** Calls `then` after each success of a function, with what the function was called with. */
function after<Name extends string, Table extends Record<Name, (...args: never[]) => unknown>>(
  table: Table,
  name: Name,
  then: (...args: Parameters<Table[Name]>) => void,
): void {
  const original = table[name];
  const followed = (...args: Parameters<Table[Name]>) => {
    const result = original(...args);
    then(...args);
    return result;
  };
  table[name] = followed as Table[Name];
}
