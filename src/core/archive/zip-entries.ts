import { crc32 } from 'node:zlib';
import { openPromise, type Entry as ZipEntry, type ZipFile } from 'yauzl';
import { ArchiveRefused } from './archive-refused.ts';
import { checkMode, type Entry, readPath, type Tally } from './entry.ts';

const UNIX = 3;

/** The entries of a zip file, by its own directory; what stands before each file is not believed. */
export async function* zipEntries(file: string, tally: Tally): AsyncGenerator<Entry> {
  // Names are read by us: one way for every kind of archive, and the second name that an extra field may give counts for nothing.
  const zip = await openPromise(file, { decodeStrings: false, autoClose: false, validateEntrySizes: true });
  try {
    for await (const entry of zip.eachEntry()) {
      const raw = entry.fileName as unknown as Buffer;
      const path = readPath(raw);
      const isFolder = raw.at(-1) === 0x2f;
      if (entry.versionMadeBy >> 8 === UNIX) checkMode(path, entry.externalFileAttributes >>> 16, isFolder);
      if (entry.isEncrypted()) throw new ArchiveRefused('it is encrypted');
      if (!entry.canDecodeFileData())
        throw new ArchiveRefused(`${JSON.stringify(path)} is packed in a way we do not know`);
      if (path === '') continue;
      tally.add(path, isFolder);
      yield { path, isFolder, content: () => contentOf(zip, entry, tally) };
    }
  } finally {
    zip.close();
  }
}

async function* contentOf(zip: ZipFile, entry: ZipEntry, tally: Tally): AsyncGenerator<Buffer> {
  let checksum = 0;
  for await (const chunk of (await zip.openReadStreamPromise(entry)) as AsyncIterable<Buffer>) {
    tally.count(chunk.length);
    checksum = crc32(chunk, checksum);
    yield chunk;
  }
  if (checksum !== entry.crc32) throw new ArchiveRefused('it is damaged');
}
