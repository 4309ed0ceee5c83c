import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';

const LEVEL = { [constants.ZSTD_c_compressionLevel]: 1 };
const SMALLEST = 96;
const SAMPLE = 4096;
/** What gains less is stored as it is: reading it back is then free. */
const WORTH = 0.93;

/** The bytes compressed, or undefined where that does not help (images, archives, tiny objects). */
export function compress(bytes: Uint8Array): Buffer | undefined {
  if (bytes.length < SMALLEST) return undefined;
  if (bytes.length > 4 * SAMPLE) {
    // Most of a site's bytes are images: a look at the middle costs a fraction of compressing all of it in vain.
    const middle = bytes.length >> 1;
    if (looksRandom(bytes.subarray(middle, middle + SAMPLE))) return undefined;
  }
  const compressed = zstd(bytes);
  return compressed.length < bytes.length * WORTH ? compressed : undefined;
}

export function decompress(bytes: Uint8Array, plainBytes: number): Buffer {
  // Without the right size the result would be gathered from pieces of 16 KB. One byte more shows a frame that is longer.
  return zstdDecompressSync(bytes, { chunkSize: Math.max(64, plainBytes + 1), maxOutputLength: plainBytes + 1 });
}

const counts = new Uint16Array(256);

/** Whether all bytes are about as frequent. For random ones the sum of squared counts is n²/256 + n; for text many times that. */
function looksRandom(sample: Uint8Array): boolean {
  counts.fill(0);
  for (let at = 0; at < sample.length; at++)
    counts[sample[at] as number] = (counts[sample[at] as number] as number) + 1;
  let squares = 0;
  for (let byte = 0; byte < 256; byte++) squares += (counts[byte] as number) ** 2;
  return squares < 1.15 * (sample.length ** 2 / 256 + sample.length);
}

function zstd(bytes: Uint8Array): Buffer {
  // The size lets zstd choose small tables for small objects, which halves the time for a typical PHP file.
  return zstdCompressSync(bytes, {
    pledgedSrcSize: bytes.length,
    // What is worth it is mostly below half; a second piece is taken where it is not.
    chunkSize: Math.max(64, (bytes.length >> 1) + 512),
    params: LEVEL,
  });
}
