// SPDX-License-Identifier: GPL-2.0-or-later
import { fstatSync, lstatSync, type Stats, statSync } from 'node:fs';
import type { FileNode, FileSystem, OpenStream } from '@php-wasm/universal';
import { refusal, requireDepth, requireFlat } from './depth.ts';
import { tell } from './settings.ts';

/** Until the parent says how much there is. */
const FIRST_BYTES = 64 * 1024 * 1024;
const TELL_BYTES = 8 * 1024 * 1024;
/** What is told when a request has ended. */
const LEAST_TOLD_BYTES = 256 * 1024;
/** A disk gives room in such pieces, and each name counts for one where the site is measured (folders/site-folder). */
const BLOCK_BYTES = 4096;
/** As WASI and Linux have them. */
const ENOSPC = 51;
const O_APPEND = 1024;

/**
 * How much PHP may still add to the site's folders. What would be more fails, and the one who writes is told that the disk is full; nothing else of the
 * site is touched. It is counted here because here nobody can be faster than the count. The parent hears how much came, and says anew how much there is
 * where it has looked: between two requests, for PHP lets nobody else in.
 *
 * What counts is what the disk holds: a hole costs nothing until something is written there, and no file may be larger than what is left.
 */
export class DiskRoom {
  #leftBytes = FIRST_BYTES;
  /** How far below nothing all but the content may go. */
  #floorBytes = 0;
  /** What came since the parent was last told; below nothing where more was deleted. */
  #untoldBytes = 0;
  /** What was deleted here while it was open here. */
  readonly #nameless = new Set<string>();
  #fs: FileSystem | undefined;

  attach(fs: FileSystem): void {
    this.#fs = fs;
    const { NODEFS } = fs.filesystems;
    const { node_ops: nodes, stream_ops: streams } = NODEFS;
    const pathOf = (parent: FileNode, name: string) => `${NODEFS.realPath(parent)}/${name}`;
    const add = (parent: FileNode, name: string) => {
      requireDepth(NODEFS.realPath(parent), parent, name);
      this.#take(parent, BLOCK_BYTES);
    };
    around(streams, 'write', (write, stream, ...data) => {
      this.#write(stream, Number(data[3]), Number(data[2]));
      return write(stream, ...data);
    });
    around(streams, 'setattr', (set, stream, attributes) =>
      this.#resize(
        stream.node,
        attributes,
        () => statOf(stream),
        () => set(stream, attributes),
      ),
    );
    around(nodes, 'setattr', (set, node, attributes) =>
      this.#resize(
        node,
        attributes,
        () => statSync(NODEFS.realPath(node), { throwIfNoEntry: false }),
        () => set(node, attributes),
      ),
    );
    around(streams, 'close', (close, stream) => {
      const freed = this.#freedByClosing(stream);
      close(stream);
      this.#give(freed);
    });
    around(nodes, 'mknod', (make, parent, name, ...rest) => {
      add(parent, name);
      return make(parent, name, ...rest);
    });
    around(nodes, 'symlink', (make, parent, name, target) => {
      add(parent, name);
      make(parent, name, target);
    });
    for (const remove of ['unlink', 'rmdir'] as const)
      around(nodes, remove, (original, parent, name) => {
        const freed = this.#freedBy(pathOf(parent, name));
        original(parent, name);
        this.#give(freed);
      });
    around(nodes, 'rename', (rename, node, parent, name) => {
      requireDepth(NODEFS.realPath(parent), parent, name);
      const [from, to] = [NODEFS.realPath(node), pathOf(parent, name)];
      requireFlat(from, to, parent);
      const freed = isSame(from, to) ? 0 : this.#freedBy(to);
      rename(node, parent, name);
      this.#give(freed);
    });
  }

  /** From now on. What was deleted and is still open nobody sees who measures, so it is taken off. */
  set(leftBytes: number, beyondBytes = 0): void {
    this.#leftBytes = leftBytes - this.#untoldBytes - this.#hiddenBytes();
    this.#floorBytes = Math.min(0, this.#leftBytes) - beyondBytes;
  }

  /** What was added until now was to something that is thrown away. */
  renew(): void {
    this.#leftBytes += this.#untoldBytes;
    this.#untoldBytes = 0;
  }

  /** To be called when a request has ended, so that the next process begins where this one was. */
  report(): void {
    if (Math.abs(this.#untoldBytes) >= LEAST_TOLD_BYTES) this.#tell();
  }

  #write(stream: OpenStream, position: number, length: number): void {
    const stat = statOf(stream);
    if (!stat || length === 0) return;
    const from = (stream.flags ?? 0) & O_APPEND ? stat.size : position;
    this.#require(stream.node, from + length - reachOf(stat));
    const first = from - (from % BLOCK_BYTES);
    const last = blocksUpTo(from + length);
    const known = Math.max(BLOCK_BYTES, blocksUpTo(stat.size));
    const holes = Math.max(0, known - bytesOf(stat));
    const inside = Math.max(0, Math.min(last, known) - first);
    this.#take(stream.node, Math.max(0, last - Math.max(first, known)) + Math.min(inside, holes));
  }

  #resize(node: FileNode, attributes: unknown, look: () => Stats | undefined, set: () => void): void {
    const size = (attributes as { size?: number }).size;
    const before = size === undefined ? undefined : look();
    if (size === undefined || !before) return void set();
    this.#require(node, size - reachOf(before));
    set();
    const after = look();
    if (after) this.#give(bytesOf(before) - bytesOf(after));
  }

  /** Who deletes has room again. What has another name still, or is open here, takes its room with it. */
  #freedBy(path: string): number {
    const stat = lstatSync(path, { throwIfNoEntry: false });
    if (!stat) return 0;
    if (stat.isDirectory()) return BLOCK_BYTES;
    if (stat.nlink > 1) return 0;
    if (!this.#openFiles().some((file) => isFile(file, stat))) return bytesOf(stat);
    this.#nameless.add(keyOf(stat));
    return 0;
  }

  /** What was deleted here ends with the last who has it open. Another process that deleted something has its room already. */
  #freedByClosing(stream: OpenStream): number {
    const stat = this.#nameless.size > 0 ? statOf(stream) : undefined;
    if (!stat || stat.nlink > 0 || !this.#nameless.has(keyOf(stat))) return 0;
    const others = this.#fs?.streams.filter((each) => each && each !== stream) ?? [];
    if (others.some((each) => isFile(each && statOf(each), stat))) return 0;
    this.#nameless.delete(keyOf(stat));
    return bytesOf(stat);
  }

  #hiddenBytes(): number {
    const hidden = this.#openFiles().filter(({ nlink }) => nlink === 0);
    const files = new Map(hidden.map((stat) => [keyOf(stat), bytesOf(stat)]));
    return [...files.values()].reduce((sum, bytes) => sum + bytes, 0);
  }

  #openFiles(): Stats[] {
    return (this.#fs?.streams ?? []).flatMap((stream) => (stream && statOf(stream)) ?? []);
  }

  #require(node: FileNode, bytes: number): void {
    const floor = node.mount.opts.root?.endsWith('/content') ? 0 : this.#floorBytes;
    if (bytes > 0 && this.#leftBytes - bytes < floor) throw refusal(ENOSPC);
  }

  #take(node: FileNode, bytes: number): void {
    this.#require(node, bytes);
    this.#give(-bytes);
  }

  #give(bytes: number): void {
    this.#leftBytes += bytes;
    this.#untoldBytes -= bytes;
    if (Math.abs(this.#untoldBytes) >= TELL_BYTES) this.#tell();
  }

  #tell(): void {
    tell({ type: 'grew', bytes: this.#untoldBytes });
    this.#untoldBytes = 0;
  }
}

const blocksUpTo = (bytes: number) => Math.ceil(bytes / BLOCK_BYTES) * BLOCK_BYTES;
const bytesOf = ({ blocks }: Stats) => Math.max(BLOCK_BYTES, blocks * 512);
/** Up to here a file is paid for, or was let be. */
const reachOf = (stat: Stats) => Math.max(stat.size, bytesOf(stat));

/** Of a file of a mounted folder; undefined for all else, and for a descriptor that is none any more, to which nothing can be written either. */
function statOf({ nfd }: OpenStream): Stats | undefined {
  try {
    const stat = nfd === undefined ? undefined : fstatSync(nfd);
    return stat?.isFile() ? stat : undefined;
  } catch {
    return undefined;
  }
}

const keyOf = ({ dev, ino }: Stats) => `${dev} ${ino}`;

function isFile(stat: Stats | null | undefined, { dev, ino }: Stats): boolean {
  return stat?.ino === ino && stat.dev === dev;
}

function isSame(a: string, b: string): boolean {
  const [one, other] = [a, b].map((path) => lstatSync(path, { throwIfNoEntry: false }));
  return other !== undefined && isFile(one, other);
}

/** Has a function called by another, which can keep it from being called by failing. */
function around<Name extends string, Table extends Record<Name, (...args: never[]) => unknown>>(
  table: Table,
  name: Name,
  call: (original: Table[Name], ...args: Parameters<Table[Name]>) => ReturnType<Table[Name]>,
): void {
  const original = table[name];
  table[name] = ((...args: Parameters<Table[Name]>) => call(original, ...args)) as Table[Name];
}
