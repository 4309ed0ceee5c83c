import { closeSync, constants, fstatSync, openSync, readSync, type Stats } from 'node:fs';
import { chunkEnd, LARGEST_CHUNK } from '../chunker.ts';
import { addChunkList, type Chunk, type ObjectWriter, type Ref } from '../content.ts';
import type { Hash } from '../hash.ts';
import { dataOf, holeBytesOf, isZero, ZEROS } from '../holes.ts';

/** Files below this are one object: a change stores the whole file again, which is cheaper than looking for chunks. */
export const WHOLE_BELOW = 1024 * 1024;
const READ_BYTES = 4 * 1024 * 1024;
const ATTEMPTS = 3;
const { O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants;

export interface StoredFile {
  ref: Ref;
  stat: Stats;
}

/** A file that is mostly hole is not kept where that is more than this: its list of chunks alone would be megabytes. */
const MOST_HOLE_BYTES = 16 * 1024 * 1024 * 1024;

export class TooEmpty extends Error {}

/**
 * Stores a file's content as it was at one instant: if the file changes while it is read, it is read again. Returns
 * undefined when it never stood still; fails with the code of the file system when it vanished or can not be read.
 * Yields between the pieces of a big file how many bytes it has come further, so that packs can be written meanwhile.
 */
export function* storeFile(path: string, writer: ObjectWriter): Generator<number, StoredFile | undefined> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    // Not blocking, for somebody may have put a named pipe in the file's place.
    const file = openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    try {
      const before = fstatSync(file);
      if (!before.isFile()) return undefined;
      if (holeBytesOf(before) > MOST_HOLE_BYTES) throw new TooEmpty('it is nearly empty, and too long to be kept');
      const ref =
        before.size < WHOLE_BELOW ? storeWhole(file, before, writer) : yield* storeChunks(file, before, writer);
      if (ref !== undefined && isSameFile(before, fstatSync(file))) return { ref, stat: before };
    } finally {
      closeSync(file);
    }
  }
  return undefined;
}

function isSameFile(a: Stats, b: Stats): boolean {
  return a.ino === b.ino && a.size === b.size && a.mtimeMs === b.mtimeMs && a.ctimeMs === b.ctimeMs;
}

/** Every file is read into the same memory; what is stored of it is copied before the next one is read. */
const scratch = Buffer.allocUnsafeSlow(WHOLE_BELOW);

function storeWhole(file: number, stat: Stats, writer: ObjectWriter): Ref | undefined {
  const bytes = scratch.subarray(0, stat.size);
  return readFully(file, bytes, 0) === stat.size ? writer.add(bytes) : undefined;
}

/** The memory of the last big file. It is taken while one is read, for others may be read between two pieces of it. */
let spare: Buffer | undefined;

function* storeChunks(file: number, stat: Stats, writer: ObjectWriter): Generator<number, Ref> {
  const bytes = spare ?? Buffer.allocUnsafeSlow(READ_BYTES + LARGEST_CHUNK);
  spare = undefined;
  try {
    return addChunkList(writer, yield* cutIntoChunks(file, stat, bytes, writer));
  } finally {
    spare = bytes;
  }
}

/** The cuts are the same whether a hole is read or not: where one is depends on what the chunk holds alone. */
function* cutIntoChunks(file: number, stat: Stats, bytes: Buffer, writer: ObjectWriter): Generator<number, Chunk[]> {
  const chunks: Chunk[] = [];
  const data = dataOf(file, stat);
  let zeros: Hash | undefined;
  const addZeros = () => {
    zeros ??= writer.add(ZEROS);
    chunks.push([zeros, ZEROS.length]);
  };
  for (let position = 0, isLast = false; !isLast; ) {
    const from = position;
    // Only whole ones: what is left of a hole at its end is cut together with what follows.
    const dataAt = Math.min(data.nextData(position), stat.size);
    for (; dataAt - position >= ZEROS.length; position += ZEROS.length) addZeros();
    const end = readFully(file, bytes, position);
    isLast = end < bytes.length;
    let start = 0;
    // A cut is only right while the biggest possible chunk is in sight, or the file's end.
    while (isLast ? start < end : end - start >= LARGEST_CHUNK) {
      if (isWholeZero(bytes, start, end)) {
        addZeros();
        start += ZEROS.length;
        // There may be far more of it.
        if (data.nextData(position + start) - position > end) break;
        continue;
      }
      const cut = chunkEnd(bytes, start, end);
      chunks.push([writer.add(bytes.subarray(start, cut)), cut - start]);
      start = cut;
    }
    isLast &&= start === end;
    position += start;
    yield position - from;
  }
  return chunks;
}

function isWholeZero(bytes: Buffer, start: number, end: number): boolean {
  return end - start >= ZEROS.length && bytes[start] === 0 && isZero(bytes.subarray(start, start + ZEROS.length));
}

/** Reads until the buffer is full or the file ends. */
function readFully(file: number, bytes: Buffer, position: number): number {
  let done = 0;
  while (done < bytes.length) {
    const count = readSync(file, bytes, done, bytes.length - done, position + done);
    if (count === 0) break;
    done += count;
  }
  return done;
}
