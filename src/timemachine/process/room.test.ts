import assert from 'node:assert/strict';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { addChunkList, type Chunk } from '../content.ts';
import { hashOf } from '../hash.ts';
import { ZEROS, ZEROS_HASH } from '../holes.ts';
import type { FileEntry } from '../tree.ts';
import { requireRoom } from './room.ts';

test('a restore needs room for what it writes, and none for holes', async () => {
  const objects = new Map<string, Buffer>();
  const reader = { read: async (hash: string) => objects.get(hash) as Buffer };
  const writer = {
    add(plain: Uint8Array) {
      objects.set(hashOf(plain), Buffer.from(plain));
      return hashOf(plain);
    },
  };
  const fileOf = (chunks: Chunk[]): FileEntry => {
    const sizeBytes = chunks.reduce((sum, [, bytes]) => sum + bytes, 0);
    return {
      kind: 'file',
      name: 'a',
      mode: 0o644,
      modifiedUs: 0,
      sizeBytes,
      ref: addChunkList(writer, chunks),
      isShared: false,
    };
  };
  const restoring = (entry: FileEntry) => {
    const files = { changes: [{ kind: 'file', path: 'a', entry }], bytes: entry.sizeBytes };
    return { plan: { files, tables: undefined, counters: files } } as never;
  };
  const place = { content: join(tmpdir(), 'content') };
  const hole = (count: number) => Array.from({ length: count }, (): Chunk => [ZEROS_HASH, ZEROS.length]);
  const full: Chunk = [hashOf('full'), 2 ** 50];
  // Larger than any disk of a test.
  const sparse = fileOf([[ZEROS_HASH, 2 ** 50], ...hole(3)]);
  await requireRoom(place, reader, restoring(sparse));
  await assert.rejects(requireRoom(place, reader, restoring(fileOf([full, ...hole(3)]))), { code: 'no_room' });
});
