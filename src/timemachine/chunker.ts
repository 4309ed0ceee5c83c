import { hash } from 'node:crypto';

/**
 * FastCDC (Xia et al., 2016) with normalised chunking: cuts where the content says so, so that a byte inserted into a big
 * file changes one chunk and not all that follow. Part of the format: another table or mask finds other cuts, which costs
 * only what could have been shared.
 */
const SMALLEST = 32 * 1024;
const AVERAGE = 64 * 1024;
export const LARGEST_CHUNK = 256 * 1024;
// 18 bits are asked for before the average and 14 after it; high bits, for the low ones know only the last few bytes.
const BEFORE_AVERAGE = 0xffffc000 | 0;
const AFTER_AVERAGE = 0xfffc0000 | 0;

const GEAR = Int32Array.from({ length: 256 }, (_, byte) => hash('sha256', `gear ${byte}`, 'buffer').readInt32BE(0));

/** Where the first chunk of these bytes ends. The last chunk of a file is what is left, however short. */
export function chunkEnd(bytes: Uint8Array, start: number, end: number): number {
  if (end - start <= SMALLEST) return end;
  const average = Math.min(start + AVERAGE, end);
  const largest = Math.min(start + LARGEST_CHUNK, end);
  let fingerprint = 0;
  let position = start + SMALLEST;
  for (; position < average; position++) {
    fingerprint = ((fingerprint << 1) + (GEAR[bytes[position] as number] as number)) | 0;
    if ((fingerprint & BEFORE_AVERAGE) === 0) return position + 1;
  }
  for (; position < largest; position++) {
    fingerprint = ((fingerprint << 1) + (GEAR[bytes[position] as number] as number)) | 0;
    if ((fingerprint & AFTER_AVERAGE) === 0) return position + 1;
  }
  return largest;
}
