// SPDX-License-Identifier: GPL-2.0-or-later
import { closeSync, lstatSync, mkdirSync, openSync } from 'node:fs';
import type { FileNode, FileSystem } from '@php-wasm/universal';
import { refusal } from './depth.ts';

/** As WASI has them. */
const EINVAL = 28;
const ENOENT = 44;
const EROFS = 69;
const FILE_TYPE = 0o170000;
const FOLDER = 0o040000;
const FILE = 0o100000;

type Call = (...args: number[]) => number;

/**
 * Makes PHP see mounted folders as they are on the host. Emscripten caches a node for each name it has seen, including the type of the file, and
 * php-wasm's own attempt to prevent that marks a node only after it has been cached. Another PHP process of the site, a shell, a restore or a
 * deployment changes the same folders, so a cached node can refer to a file that no longer exists: `file_exists` then returns true while opening the
 * file fails. Here no node of a site's folder is cached. Nodes of shared folders are, because those do not change while a process runs, and because a
 * mount point inside them is a property of its node.
 */
export class HostFiles {
  #isListing = false;

  /** A listing skips entries that were deleted since it began; Emscripten would end it there. */
  readonly guards: Record<string, (original: Call) => Call> = {
    __syscall_getdents64:
      (original) =>
      (...args) => {
        this.#isListing = true;
        try {
          return original(...args);
        } finally {
          this.#isListing = false;
        }
      },
  };

  attach(fs: FileSystem): void {
    const { NODEFS } = fs.filesystems;
    const { node_ops: nodes } = NODEFS;
    const { createNode, convertNodeCode, getattr } = NODEFS;
    const { rename } = nodes;
    NODEFS.createNode = (parent, name, mode, device) => {
      const node = createNode(parent, name, mode, device);
      if (parent && !parent.mount.opts.isShared) fs.hashRemoveNode(node);
      return node;
    };
    nodes.lookup = (parent, name) => {
      const path = `${NODEFS.realPath(parent)}/${name}`;
      const stat = NODEFS.tryFSOperation(() => lstatSync(path, { throwIfNoEntry: false }));
      // Emscripten skips what it cannot represent in a listing, such as sockets.
      if (!stat) throw this.#isListing ? SKIPPED : MISSING;
      return NODEFS.createNode(parent, name, stat.mode, 0);
    };
    // php-wasm's own creates the node first and leaves it in the cache when the host refuses the file.
    nodes.mknod = (parent, name, mode, device) => {
      const path = `${NODEFS.realPath(parent)}/${name}`;
      const type = mode & FILE_TYPE;
      if (type !== FOLDER && type !== FILE) throw refusal(EINVAL);
      NODEFS.tryFSOperation(() => {
        if (type === FOLDER) mkdirSync(path, mode);
        // Another process may have created it since it was looked up, so it is not truncated.
        else closeSync(openSync(path, 'a', mode));
      });
      return NODEFS.createNode(parent, name, mode, device);
    };
    // What is open under the old path refers to a node of its own.
    nodes.rename = (node, parent, name) => {
      const from = NODEFS.realPath(node);
      rename(node, parent, name);
      for (const stream of fs.streams) {
        const path = stream?.nfd === undefined ? '' : NODEFS.realPath(stream.node);
        if (stream && `${path}/`.startsWith(`${from}/`))
          stream.node = nodeAt(parent, name + path.slice(from.length), stream.node.mode);
      }
    };
    const nodeAt = (folder: FileNode, path: string, mode: number): FileNode => {
      const names = path.split('/');
      const last = names.pop() ?? '';
      const parent = names.reduce((each, name) => NODEFS.createNode(each, name, FOLDER, 0), folder);
      return NODEFS.createNode(parent, last, mode, 0);
    };
    // Two nodes of one file are one file: SQLite and PHP compare inode numbers.
    NODEFS.getattr = (look, node) => {
      let ino = 0;
      const attributes = getattr(() => {
        const stat = look();
        ino = stat.ino;
        return stat;
      }, node);
      return { ...attributes, ino };
    };
    // Without a number of its own, the refusal of Node's permission model would count as success.
    NODEFS.convertNodeCode = (error) => (error.code === 'ERR_ACCESS_DENIED' ? EROFS : convertNodeCode(error));
  }
}

const MISSING = refusal(ENOENT);
const SKIPPED = refusal(EINVAL);
