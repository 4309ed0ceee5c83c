// SPDX-License-Identifier: GPL-2.0-or-later
import assert from 'node:assert/strict';
import * as files from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, suite, test } from 'node:test';
import type { FileNode, FileSystem, HostFolders, OpenStream } from '@php-wasm/universal';
import { DiskRoom } from './disk-room.ts';

const MB = 1024 * 1024;
const FULL = { errno: 51 };
const TOO_DEEP = { errno: 37 };

type Node = FileNode & { name: string };
type Nodes = Omit<HostFolders['node_ops'], 'lookup'>;

/** What php-wasm's own does to a folder, as far as it counts. */
class Folder {
  readonly root: string;
  readonly top: Node;
  readonly fs: FileSystem;
  readonly #ops: Pick<HostFolders, 'realPath' | 'stream_ops'> & { node_ops: Nodes };

  constructor(root: string) {
    this.root = root;
    files.mkdirSync(root, { recursive: true });
    this.top = { name: '', mode: 0o40755, mount: { opts: { root } } } as Node;
    this.top.parent = this.top;
    const realPath = (node: FileNode): string =>
      node.parent === node ? root : join(realPath(node.parent), (node as Node).name);
    const size = (attributes: unknown) => (attributes as { size?: number }).size;
    this.#ops = {
      realPath,
      stream_ops: {
        write: (stream, ...[bytes, offset, length, position]) =>
          files.writeSync(stream.nfd ?? -1, bytes as Buffer, Number(offset), Number(length), Number(position)),
        setattr: (stream, attributes) => files.ftruncateSync(stream.nfd ?? -1, size(attributes)),
        close: (stream) => files.closeSync(stream.nfd ?? -1),
      },
      node_ops: {
        setattr: (node, attributes) => files.truncateSync(realPath(node), size(attributes)),
        mknod: (parent, name, mode) => {
          const path = join(realPath(parent), name);
          if (mode & 0o40000) files.mkdirSync(path);
          else files.writeFileSync(path, '');
          return this.node(name, parent);
        },
        rename: (node, parent, name) => files.renameSync(realPath(node), join(realPath(parent), name)),
        unlink: (parent, name) => files.unlinkSync(join(realPath(parent), name)),
        rmdir: (parent, name) => files.rmdirSync(join(realPath(parent), name)),
        symlink: () => {},
      },
    };
    this.fs = { filesystems: { NODEFS: this.#ops, MEMFS: {} }, streams: [] } as unknown as FileSystem;
  }

  node(name: string, parent: FileNode = this.top): Node {
    return { name, parent, mode: 0o100644, mount: this.top.mount } as Node;
  }

  open(name: string, isEmptied = false): OpenStream {
    const { node_ops: nodes } = this.#ops;
    const path = join(this.root, name);
    if (!files.existsSync(path)) nodes.mknod(this.top, name, 0o100644, 0);
    // As Emscripten does it before it opens.
    else if (isEmptied) nodes.setattr(this.node(name), { size: 0 });
    const nfd = files.openSync(path, 'r+');
    const stream = { fd: nfd, nfd, node: this.node(name), stream_ops: this.#ops.stream_ops } as OpenStream;
    this.fs.streams.push(stream);
    return stream;
  }

  write(stream: OpenStream, bytes: number, position = 0): void {
    this.#ops.stream_ops.write(stream, Buffer.alloc(bytes, 'x'), 0, bytes, position);
  }

  close(stream: OpenStream): void {
    this.#ops.stream_ops.close(stream);
    this.fs.streams.splice(this.fs.streams.indexOf(stream), 1);
  }

  put(name: string, bytes: number): void {
    const stream = this.open(name, true);
    try {
      this.write(stream, bytes);
    } finally {
      this.close(stream);
    }
  }

  resize(stream: OpenStream, size: number): void {
    this.#ops.stream_ops.setattr(stream, { size });
  }

  get nodes(): Nodes {
    return this.#ops.node_ops;
  }
}

suite('the room of a site', () => {
  let place: string;
  let folder: Folder;
  let room: DiskRoom;
  const open = (name: string, leftBytes: number, beyondBytes = 0) => {
    folder = new Folder(join(place, name));
    room = new DiskRoom();
    room.attach(folder.fs);
    room.set(leftBytes, beyondBytes);
  };
  /** The parent knows of all until now. */
  const measured = (leftBytes: number, beyondBytes = 0) => {
    room.renew();
    room.set(leftBytes, beyondBytes);
  };
  beforeEach(() => {
    place = files.mkdtempSync(join(tmpdir(), 'room-'));
    open('content', 4 * MB);
  });
  afterEach(() => {
    for (const stream of folder.fs.streams) if (stream?.nfd !== undefined) files.closeSync(stream.nfd);
    files.rmSync(place, { recursive: true, force: true });
  });

  test('what is written counts once, to the block', () => {
    const stream = folder.open('a');
    for (let at = 0; at < 4 * MB; at += 1000) folder.write(stream, Math.min(1000, 4 * MB - at), at);
    folder.write(stream, 4 * MB);
    assert.throws(() => folder.write(stream, 1, 4 * MB), FULL);
    assert.throws(() => folder.open('b'), FULL);
  });

  test('a file is no larger than what is left, and a hole costs when it is filled', () => {
    const stream = folder.open('a');
    assert.throws(() => folder.resize(stream, 50 * 1024 * MB), FULL);
    assert.throws(() => folder.nodes.setattr(folder.node('a'), { size: 50 * 1024 * MB }), FULL);
    assert.throws(() => folder.write(stream, 1, 50 * 1024 * MB), FULL);
    // Three files of 3 MB that are holes, in 4 MB.
    const holes = ['a', 'b', 'c'].map((name) => folder.open(name));
    for (const hole of holes) folder.resize(hole, 3 * MB);
    let written = 0;
    assert.throws(() => {
      for (const hole of holes)
        for (let at = 0; at < 3 * MB; at += 64 * 1024) {
          folder.write(hole, 64 * 1024, at);
          written += 64 * 1024;
        }
    }, FULL);
    assert.ok(written > 3.5 * MB && written <= 4 * MB, `${written}`);
    // A byte takes a block.
    measured(4 * MB);
    const sparse = folder.open('a');
    folder.resize(sparse, 0);
    folder.resize(sparse, 4 * MB);
    measured(10 * 4096);
    assert.throws(() => {
      for (let n = 1; n < 30; n++) folder.write(sparse, 1, n * 64 * 1024);
    }, FULL);
    assert.ok(files.fstatSync(sparse.nfd ?? -1).blocks <= 10 * 8);
  });

  test('what is written anew, cut off, deleted or replaced gives its room back', () => {
    for (let n = 0; n < 20; n++) folder.put('a', 3 * MB);
    const stream = folder.open('a');
    for (let n = 0; n < 20; n++) {
      folder.resize(stream, 0);
      folder.write(stream, 3 * MB);
    }
    folder.close(stream);
    for (let n = 0; n < 20; n++) {
      folder.put('b', MB / 2);
      folder.nodes.rename(folder.node('b'), folder.top, 'c');
    }
    folder.nodes.unlink(folder.top, 'a');
    folder.put('a', 3.5 * MB);
    assert.throws(() => folder.put('b', 1), FULL, 'and no more than that');
    measured(20 * 4096);
    for (let n = 0; n < 40; n++) {
      folder.put('d', 1);
      folder.nodes.unlink(folder.top, 'd');
      folder.nodes.mknod(folder.top, 'e', 0o40755, 0);
      folder.nodes.rmdir(folder.top, 'e');
    }
    folder.put('d', 20 * 4096);
    assert.throws(() => folder.put('b', 1), FULL, 'and no more than that');
  });

  test('what was deleted and is still open counts until it is closed', () => {
    folder.put('a', 3 * MB);
    const [one, two] = [folder.open('a'), folder.open('a')];
    folder.nodes.unlink(folder.top, 'a');
    assert.throws(() => folder.put('b', 2 * MB), FULL);
    // Whoever measured did not see it.
    measured(4 * MB);
    assert.throws(() => folder.put('b', 2 * MB), FULL);
    folder.close(one);
    assert.throws(() => folder.put('b', 2 * MB), FULL);
    folder.close(two);
    folder.put('b', 4 * MB);
    const kept = folder.open('b');
    measured(4096 + MB);
    folder.put('c', MB);
    folder.nodes.rename(folder.node('c'), folder.top, 'b');
    assert.throws(() => folder.put('d', MB), FULL);
    folder.close(kept);
    folder.put('d', 4 * MB);
  });

  test('the database has a little where nothing is left, and not again and again', () => {
    measured(-100 * MB, MB);
    assert.throws(() => folder.open('a'), FULL);
    open('database', -100 * MB, MB);
    folder.put('a', MB);
    assert.throws(() => folder.put('b', 1), FULL);
    folder.nodes.unlink(folder.top, 'a');
    folder.put('b', MB);
  });

  test('a folder is not moved to where what it holds is too deep', () => {
    const deep = (name: string, depth: number) => {
      files.mkdirSync(join(folder.root, name, ...Array.from({ length: depth }, () => 'd')), { recursive: true });
      return folder.node(name);
    };
    const [tree, other] = [deep('tree', 60), deep('other', 60)];
    const end = Array.from({ length: 60 }).reduce<Node>((parent) => folder.node('d', parent), other);
    assert.throws(() => folder.nodes.rename(tree, end, 'tree'), TOO_DEEP);
    folder.nodes.rename(tree, other, 'tree');
    assert.ok(files.existsSync(join(folder.root, 'other/tree/d')));
  });
});
