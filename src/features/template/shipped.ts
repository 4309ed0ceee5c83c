import { createHash } from 'node:crypto';
import { open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ArchiveSource } from '#runtimes/runtime.ts';

/** The files of the templates that come with the platform (scripts/make-templates.ts). */
const FOLDER = join(import.meta.dirname, 'shipped');
const archiveOf = (name: string) => join(FOLDER, `${name}.tar.gz`);

/** What the gallery shows of one of them. */
export const shippedPicture = (name: string): Promise<Buffer> => readFile(join(FOLDER, `${name}.webp`));

export async function withShippedArchive<T>(name: string, work: (archive: ArchiveSource) => Promise<T>): Promise<T> {
  const handle = await open(archiveOf(name));
  try {
    const { size: sizeBytes } = await handle.stat();
    const read = async (offset: number, length: number) => {
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, offset);
      return buffer.subarray(0, bytesRead);
    };
    return await work({ sizeBytes, read });
  } finally {
    await handle.close();
  }
}

/** Another one where the archive is another one. */
export async function hashOfShipped(name: string): Promise<string> {
  return createHash('sha256')
    .update(await readFile(archiveOf(name)))
    .digest('hex')
    .slice(0, 40);
}
