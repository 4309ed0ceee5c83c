import type { FileHandle } from 'node:fs/promises';

/**
 * An open file from its beginning; undefined where it is more than `maxBytes`. A site can make its file grow at any instant, so what its size
 * was is a guess, and never how much is read.
 */
export async function readAtMost(file: FileHandle, maxBytes: number): Promise<Buffer | undefined> {
  const { size } = await file.stat();
  if (size > maxBytes) return undefined;
  // One byte more than there should be shows the end, or that there is more. Slow: not a part of a pool, which a cache would keep.
  let content: Buffer = Buffer.allocUnsafeSlow(size + 1);
  let length = 0;
  for (;;) {
    const { bytesRead } = await file.read(content, length, content.length - length, length);
    if (bytesRead === 0) return content.subarray(0, length);
    length += bytesRead;
    if (length > maxBytes) return undefined;
    if (length === content.length) content = grown(content, Math.min(2 * length, maxBytes + 1));
  }
}

function grown(content: Buffer, length: number): Buffer {
  const larger = Buffer.allocUnsafeSlow(length);
  content.copy(larger);
  return larger;
}
