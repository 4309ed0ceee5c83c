import { spawnSync } from 'node:child_process';
import { readSync, type Stats } from 'node:fs';
import { LARGEST_CHUNK } from './chunker.ts';
import { hashOf } from './hash.ts';

/**
 * Holes are what a file has never been given: they read as zeros and take no room. They are told without being read, and written by leaving them out, so that
 * a file of a gigabyte that holds nothing costs nothing in a backup, a copy or a restore. What a file is stored as stays the same.
 */

/** A whole chunk of zeros, which is what a hole is cut into. */
export const ZEROS: Buffer = Buffer.from(new ArrayBuffer(LARGEST_CHUNK));
export const ZEROS_HASH = hashOf(ZEROS);

/** Below this a look at the bytes costs less than a program that asks where the holes are. */
const ASK_FROM_BYTES = 16 * 1024 * 1024;
const PIECE_BYTES = 1024 * 1024;
const ASK_MS = 5_000;
const MAX_ANSWER_BYTES = 4 * 1024 * 1024;

/** How much of a file is not there. The blocks of some file systems are told late, so this alone decides nothing. */
export function holeBytesOf({ size, blocks }: Pick<Stats, 'size' | 'blocks'>): number {
  return Math.max(0, size - blocks * 512);
}

/** Whether these bytes are all zero; what does not begin so is told at once. */
export function isZero(bytes: Uint8Array): boolean {
  if (bytes[0] !== 0 || bytes[bytes.length - 1] !== 0) return false;
  for (let start = 0; start < bytes.length; start += ZEROS.length) {
    const end = Math.min(start + ZEROS.length, bytes.length);
    if (ZEROS.compare(bytes, start, end, 0, end - start) !== 0) return false;
  }
  return true;
}

/** Zeros that are fewer are written like everything else. */
const HOLE_BYTES = 16 * 1024;

/** What has to be written of these bytes; the rest is a hole. */
export function* filledIn(bytes: Uint8Array): Generator<[start: number, end: number]> {
  if (bytes.buffer === ZEROS.buffer) return;
  let from = 0;
  for (let start = 0; start < bytes.length; start += HOLE_BYTES) {
    if (bytes[start] !== 0 || bytes.length - start < HOLE_BYTES) continue;
    const end = start + HOLE_BYTES;
    if (ZEROS.compare(bytes, start, end, 0, HOLE_BYTES) !== 0) continue;
    if (from < start) yield [from, start];
    from = end;
  }
  if (from < bytes.length) yield [from, bytes.length];
}

/** What a file holds, in pieces; one of zeros for each stretch of a hole. */
export function* piecesOf(file: number, stat: Stats): Generator<Buffer> {
  const data = dataOf(file, stat);
  const bytes = Buffer.allocUnsafeSlow(PIECE_BYTES);
  for (let position = 0; position < stat.size; ) {
    const hole = Math.min(data.nextData(position), stat.size) - position;
    const count = hole > 0 ? Math.min(hole, ZEROS.length) : readSync(file, bytes, 0, bytes.length, position);
    // Somebody has cut it off: whoever asked sees that it is no longer the same.
    if (count === 0) return;
    yield hole > 0 ? ZEROS.subarray(0, count) : bytes.subarray(0, count);
    position += count;
  }
}

/** Where a file has something, as the file system says it. */
export class DataMap {
  /** In their order, none touching the next. */
  readonly #ranges: readonly (readonly [start: number, end: number])[];
  #at = 0;

  constructor(ranges: readonly (readonly [start: number, end: number])[]) {
    this.#ranges = ranges;
  }

  /** Where the next data begins, at or after this position; infinite where none does. Costs little when asked in the order of the file. */
  nextData(position: number): number {
    if ((this.#ranges[this.#at - 1]?.[1] ?? 0) > position) this.#at = 0;
    while ((this.#ranges[this.#at]?.[1] ?? Number.POSITIVE_INFINITY) <= position) this.#at++;
    const range = this.#ranges[this.#at];
    return range ? Math.max(range[0], position) : Number.POSITIVE_INFINITY;
  }
}

const ALL_DATA = new DataMap([[0, Number.POSITIVE_INFINITY]]);

/** Node knows no SEEK_DATA (3) and SEEK_HOLE (4); perl, which git needs, does. It sees the open file and nothing else. */
const PROGRAM = `
open(my $file, "<&=", 3) or exit 1;
my $end = 0;
while (defined(my $data = sysseek($file, $end, 3))) {
  $end = sysseek($file, $data, 4);
  defined $end or exit 1;
  printf "%d %d\\n", $data, $end;
}
exit($!{ENXIO} ? 0 : 1);
`;

/** Where the data of a file is. Where nobody can tell, or it is not worth asking, all of it is data, and zeros are told by looking at them. */
export function dataOf(file: number, stat: Stats): DataMap {
  if (holeBytesOf(stat) < ASK_FROM_BYTES) return ALL_DATA;
  try {
    const { status, stdout } = spawnSync('/usr/bin/perl', ['-MErrno', '-e', PROGRAM], {
      stdio: ['ignore', 'pipe', 'ignore', file],
      env: {},
      timeout: ASK_MS,
      maxBuffer: MAX_ANSWER_BYTES,
    });
    if (status !== 0) return ALL_DATA;
    const lines = stdout.toString().split('\n').slice(0, -1);
    return new DataMap(lines.map((line) => line.split(' ').map(Number) as [number, number]));
  } catch {
    return ALL_DATA;
  }
}
