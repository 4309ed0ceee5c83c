// SPDX-License-Identifier: GPL-2.0-or-later
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import type { FileNode, FileSystem, OpenStream } from '@php-wasm/universal';
import { HostFiles } from './host-files.ts';

type Node = FileNode & { name: string };

test('an open file is found under its new path when PHP renames a folder above it', () => {
  const node = (parent: FileNode | null, name: string) => {
    const created = { name, mount: { opts: { root: '/root' } } } as Node;
    created.parent = parent ?? created;
    return created;
  };
  const realPath = (of: FileNode): string =>
    of.parent === of ? '/root' : join(realPath(of.parent), (of as Node).name);
  const top = node(null, '/');
  const streams = ['from/a/file', 'from-other/file'].map((path) => {
    return { nfd: 9, node: path.split('/').reduce(node, top) } as unknown as OpenStream;
  });
  const nodes = { rename: () => {} } as unknown as FileSystem['filesystems']['NODEFS']['node_ops'];
  const NODEFS = { realPath, createNode: node, node_ops: nodes };
  new HostFiles().attach({ streams, hashRemoveNode: () => {}, filesystems: { NODEFS } } as unknown as FileSystem);
  nodes.rename(node(top, 'from'), node(top, 'other'), 'to');
  assert.deepEqual(
    streams.map((stream) => realPath(stream.node)),
    ['/root/other/to/a/file', '/root/from-other/file'],
  );
});
