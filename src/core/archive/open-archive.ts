import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import type { Transform } from 'node:stream';
import { createGunzip, createZstdDecompress } from 'node:zlib';
import { ArchiveRefused } from './archive-refused.ts';
import { type ArchiveLimits, type Entry, Tally } from './entry.ts';
import { tarEntries } from './tar-entries.ts';
import { zipEntries } from './zip-entries.ts';

/**
 * Reads the archives of strangers: zip, tar.gz, tar.zst. What it is, its first bytes say. Entries come one after another, and nothing is
 * written anywhere; whatever is wrong with one is an ArchiveRefused.
 */
export async function* archiveEntries(file: string, limits: ArchiveLimits): AsyncGenerator<Entry> {
  const tally = new Tally(limits);
  const kind = await kindOf(file);
  const entries =
    kind === 'zip'
      ? zipEntries(file, tally)
      : tarEntries(unpacked(file, kind === 'gzip' ? createGunzip() : createZstdDecompress()), tally);
  for await (const { content, ...entry } of explained(entries)) yield { ...entry, content: () => explained(content()) };
}

async function* explained<T>(source: AsyncIterable<T>): AsyncGenerator<T> {
  try {
    yield* source;
  } catch (error) {
    throw isOurs(error) ? error : new ArchiveRefused('it is damaged');
  }
}

/** A disk that is full is no fault of the archive. */
function isOurs(error: unknown): boolean {
  const code = (error as NodeJS.ErrnoException).code ?? '';
  return error instanceof ArchiveRefused || ['ENOSPC', 'EDQUOT', 'EIO', 'EMFILE', 'ENFILE', 'ENOENT'].includes(code);
}

async function kindOf(file: string): Promise<'zip' | 'gzip' | 'zstd'> {
  const handle = await open(file);
  try {
    const { buffer } = await handle.read(Buffer.alloc(4), 0, 4, 0);
    const magic = buffer.toString('hex');
    if (magic === '504b0304') return 'zip';
    if (magic.startsWith('1f8b')) return 'gzip';
    if (magic === '28b52ffd') return 'zstd';
  } finally {
    await handle.close();
  }
  throw new ArchiveRefused('it is no zip, tar.gz or tar.zst archive');
}

async function* unpacked(file: string, decompress: Transform): AsyncGenerator<Buffer> {
  const source = createReadStream(file);
  source.on('error', (error) => decompress.destroy(error));
  try {
    yield* source.pipe(decompress) as AsyncIterable<Buffer>;
  } finally {
    source.destroy();
    decompress.destroy();
  }
}
