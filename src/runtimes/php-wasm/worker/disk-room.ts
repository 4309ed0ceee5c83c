// SPDX-License-Identifier: GPL-2.0-or-later
import { fstatSync, lstatSync } from 'node:fs';
import type { FileNode, FileSystem, OpenStream } from '@php-wasm/universal';
import { tell } from './settings.ts';

/** Until the parent says how much there is. */
const FIRST_BYTES = 256 * 1024 * 1024;
/** The last of it is for the database: its owner can still come in and delete something. */
const DATABASE_BYTES = 16 * 1024 * 1024;
const TELL_BYTES = 8 * 1024 * 1024;
/** As deep as the files of a site can be reached from outside (host/content). */
const MAX_FOLDERS = 100;
const MAX_PATH_BYTES = 2_048;
/** As WASI has them. */
const ENOSPC = 51;
const ENAMETOOLONG = 37;

/**
 * How much PHP may still add to the site's folders. What would be more fails, and the one who writes is told that the disk is full; nothing else of the
 * site is touched. It is counted here because here nobody can be faster than the count. The parent hears how much came, and says anew how much there is
 * where it has looked: between two requests, for PHP lets nobody else in.
 */
export class DiskRoom {
  #leftBytes = FIRST_BYTES;
  #untoldBytes = 0;
  /** How far each open file reaches: what is written over takes up nothing. */
  readonly #ends = new WeakMap<OpenStream, number>();

  #realPath: (node: FileNode) => string = () => '';

  attach(fs: FileSystem): void {
    const { NODEFS } = fs.filesystems;
    const { node_ops: nodes, stream_ops: streams } = NODEFS;
    this.#realPath = (node) => NODEFS.realPath(node);
    const unlink = nodes.unlink;
    nodes.unlink = (parent, name) => {
      const freed = this.#freedBy(fs, `${NODEFS.realPath(parent)}/${name}`);
      unlink(parent, name);
      this.#leftBytes += freed;
    };
    before(streams, 'write', (stream, _bytes, _offset, length, position) =>
      this.#extend(stream, Number(position) + Number(length)),
    );
    before(nodes, 'mknod', (parent, name) => this.#add(parent, name));
    before(nodes, 'symlink', (parent, name) => this.#add(parent, name));
    before(nodes, 'rename', (_node, parent, name) => requireDepth(NODEFS.realPath(parent), parent, name));
  }

  /** From now on. */
  set(leftBytes: number): void {
    this.#leftBytes = leftBytes - this.#untoldBytes;
  }

  #extend(stream: OpenStream, end: number): void {
    const known = this.#ends.get(stream) ?? (stream.nfd === undefined ? end : fstatSync(stream.nfd).size);
    if (end > known) this.#take(stream.node, end - known);
    this.#ends.set(stream, Math.max(known, end));
  }

  /** Who deletes has room again. What is still open takes its room with it, until it is measured. */
  #freedBy({ streams }: FileSystem, path: string): number {
    const isOpen = streams.some((stream) => stream?.nfd !== undefined && this.#realPath(stream.node) === path);
    const stat = isOpen ? undefined : lstatSync(path, { throwIfNoEntry: false });
    return stat ? stat.blocks * 512 : 0;
  }

  #add(parent: FileNode, name: string): void {
    requireDepth(this.#realPath(parent), parent, name);
    this.#take(parent, NAME_BYTES);
  }

  #take(node: FileNode, bytes: number): void {
    const kept = node.mount.opts.root?.endsWith('/content') ? DATABASE_BYTES : 0;
    if (this.#leftBytes - bytes < kept) throw refusal(ENOSPC);
    this.#leftBytes -= bytes;
    this.#untoldBytes += bytes;
    if (this.#untoldBytes < TELL_BYTES) return;
    tell({ type: 'grew', bytes: this.#untoldBytes });
    this.#untoldBytes = 0;
  }
}

/** So much each name counts for when the site is measured. */
const NAME_BYTES = 4096;

function requireDepth(folder: string, { mount }: FileNode, name: string): void {
  const path = `${folder}/${name}`.slice((mount.opts.root ?? '').length + 1);
  if (path.length < MAX_FOLDERS) return;
  if (Buffer.byteLength(path) > MAX_PATH_BYTES || path.split('/').length > MAX_FOLDERS) throw refusal(ENAMETOOLONG);
}

/** What Emscripten takes for an answer of the file system. */
function refusal(errno: number): Error {
  return Object.assign(new Error('refused'), { name: 'ErrnoError', errno });
}

/** Calls `first` before a function, which it can keep from being called by failing. */
function before<Name extends string, Table extends Record<Name, (...args: never[]) => unknown>>(
  table: Table,
  name: Name,
  first: (...args: Parameters<Table[Name]>) => void,
): void {
  const original = table[name];
  const guarded = (...args: Parameters<Table[Name]>) => {
    first(...args);
    return original(...args);
  };
  table[name] = guarded as Table[Name];
}
