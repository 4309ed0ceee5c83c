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
