import { open } from 'node:fs/promises';
import type { FetchedFile } from '#core/git.ts';

/** A file that was fetched, part by part. */
export async function withReader<T>(
  place: string,
  work: (reader: Pick<FetchedFile, 'sizeBytes' | 'read'>) => Promise<T>,
): Promise<T> {
  const handle = await open(place);
  try {
    const { size: sizeBytes } = await handle.stat();
    return await work({
      sizeBytes,
      async read(offset, length) {
        const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, offset);
        return buffer.subarray(0, bytesRead);
      },
    });
  } finally {
    await handle.close();
  }
}

const MAX_TEXT_BYTES = 64 * 1024;

/** Returns the beginning of a file, or null if it is not text. */
export function readText(place: string): Promise<string | null> {
  return withReader(place, async ({ sizeBytes, read }) => {
    const text = (await read(0, Math.min(sizeBytes, MAX_TEXT_BYTES))).toString();
    return text.includes('\0') ? null : text;
  });
}
