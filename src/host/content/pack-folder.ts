import type { Stats } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { pipeline, Readable } from 'node:stream';
import { createDeflateRaw } from 'node:zlib';
import { FileRefused } from '../file-refused.ts';
import { inFolder, namesOf, openFileIn, openFolder } from './open-folder.ts';
import { type WalkedEntry, walkFolder } from './walk-folder.ts';
import {
  addCrc,
  ZIP_MAX_BYTES,
  ZIP_MAX_ENTRIES,
  type ZipEntry,
  zipDirectory,
  zipHeader,
  zipSizes,
} from './zip-writer.ts';

const PIECE_BYTES = 256 * 1024;

/**
 * A folder as a zip file, made as it is read. Each file is as it was at an instant of its own; links are left out. Where it turns out to be
 * more than a zip file takes, the stream fails.
 */
export async function packFolder(root: string, path: string): Promise<Readable> {
  const names = namesOf(path);
  // Whoever asks learns now that it is not there.
  await inFolder(root, names, async () => {});
  return Readable.from(pieces(root, names), { objectMode: false });
}

async function* pieces(root: string, names: readonly string[]): AsyncGenerator<Buffer> {
  const writer = new Writer(names.at(-1) ?? 'wp-content');
  const folder = await openFolder(root, names);
  try {
    for await (const walked of walkFolder(folder)) yield* writer.add(walked);
  } finally {
    await folder.close();
  }
  yield writer.end();
}

class Writer {
  readonly #top: string;
  readonly #entries: ZipEntry[] = [];
  #offset = 0;

  constructor(top: string) {
    this.#top = top;
  }

  async *add({ folder, name, path, stat }: WalkedEntry): AsyncGenerator<Buffer> {
    if (!stat.isFile() && !stat.isDirectory()) return;
    const file = stat.isFile() ? await openFileIn(folder, name).catch(() => undefined) : undefined;
    try {
      // Gone, or swapped for something else, by now.
      if (stat.isDirectory() || (await file?.stat())?.isFile()) yield* this.#addEntry(path, stat, file);
    } finally {
      await file?.close();
    }
  }

  async *#addEntry(path: string, stat: Stats, file: FileHandle | undefined): AsyncGenerator<Buffer> {
    if (this.#entries.length >= ZIP_MAX_ENTRIES) throw new FileRefused('too_much');
    const entry: ZipEntry = {
      name: `${this.#top}/${path}${file ? '' : '/'}`,
      modifiedAt: stat.mtime,
      mode: stat.mode,
      ...{ offset: this.#offset, crc: 0, packedBytes: 0, sizeBytes: 0 },
    };
    this.#entries.push(entry);
    yield this.#count(zipHeader(entry));
    const plain = (async function* () {
      if (file)
        for await (const piece of file.createReadStream({ highWaterMark: PIECE_BYTES, autoClose: false })) {
          entry.crc = addCrc(entry.crc, piece);
          entry.sizeBytes += piece.length;
          yield piece;
        }
    })();
    // What goes wrong with either end is thrown by the loop.
    const packed = pipeline(Readable.from(plain, { objectMode: false }), createDeflateRaw(), () => {});
    for await (const piece of packed) {
      entry.packedBytes += piece.length;
      if (entry.sizeBytes > ZIP_MAX_BYTES) throw new FileRefused('too_much');
      yield this.#count(piece);
    }
    yield this.#count(zipSizes(entry));
  }

  end(): Buffer {
    return zipDirectory(this.#entries, this.#offset);
  }

  #count(piece: Buffer): Buffer {
    this.#offset += piece.length;
    if (this.#offset > ZIP_MAX_BYTES) throw new FileRefused('too_much');
    return piece;
  }
}
