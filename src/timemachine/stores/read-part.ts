import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { type ByteRange, shortObject } from './store.ts';

/** A part of a file that holds an object; undefined where there is no such file. */
export function readPart(path: string, key: string, range: ByteRange | undefined): Buffer | undefined {
  let file: number;
  try {
    file = openSync(path, 'r');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  try {
    return readOpen(file, key, range);
  } finally {
    closeSync(file);
  }
}

/** The same of a file that is open. */
export function readOpen(file: number, key: string, range: ByteRange | undefined): Buffer {
  const { start, length } = range && 'length' in range ? range : within(fstatSync(file).size, range);
  const bytes = Buffer.allocUnsafeSlow(length);
  let done = 0;
  while (done < length) {
    const count = readSync(file, bytes, done, length - done, start + done);
    if (count === 0) throw shortObject(key);
    done += count;
  }
  return bytes;
}

function within(sizeBytes: number, range?: Exclude<ByteRange, { length: number }>): { start: number; length: number } {
  if (range && 'start' in range) {
    return { start: range.start, length: Math.max(0, Math.min(range.atMost, sizeBytes - range.start)) };
  }
  const length = Math.min(sizeBytes, range?.last ?? sizeBytes);
  return { start: sizeBytes - length, length };
}
