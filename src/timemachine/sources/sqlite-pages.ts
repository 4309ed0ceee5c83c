import { hash } from 'node:crypto';
import { type BigIntStats, fstatSync, readSync } from 'node:fs';

/** The file is not what it should be. Whoever sees this reads through SQLite, which has more to say. */
export class OddDatabase extends Error {}

const HEADER_BYTES = 100;
const MAGIC = 'SQLite format 3\0';
/** Of the two version bytes in the header; 2 is a database whose newest pages are in a log beside it. */
const ROLLBACK_JOURNAL = 1;
const READ_BYTES = 1024 * 1024;
/** A change within this time of the look may be followed by another one that leaves the same times behind. */
const FRESH_MS = 2_000;

/**
 * The pages of a database as they lie in its file. While a read transaction is open nobody changes them, so they are what
 * that transaction sees. Pages are numbered from 1.
 */
export class DatabasePages {
  readonly #file: number;
  readonly count: number;
  readonly pageBytes: number;
  /** Without what is reserved at the end of each page. */
  readonly usableBytes: number;
  /** As long as this is the same, so is every page; undefined where the file changed so lately that it could not be told. */
  readonly identity: string | undefined;

  private constructor(file: number, count: number, pageBytes: number, reservedBytes: number) {
    this.#file = file;
    this.count = count;
    this.pageBytes = pageBytes;
    this.usableBytes = pageBytes - reservedBytes;
    this.identity = identityOf(fstatSync(file, { bigint: true }));
  }

  /** Undefined when the file alone does not say it all. */
  static of(file: number, count: number): DatabasePages | undefined {
    const header = Buffer.alloc(HEADER_BYTES);
    if (readSync(file, header, 0, HEADER_BYTES, 0) !== HEADER_BYTES) return undefined;
    if (header.toString('latin1', 0, MAGIC.length) !== MAGIC) return undefined;
    if (header[18] !== ROLLBACK_JOURNAL || header[19] !== ROLLBACK_JOURNAL) return undefined;
    const pageBytes = header.readUInt16BE(16) === 1 ? 65536 : header.readUInt16BE(16);
    if (fstatSync(file).size !== count * pageBytes) return undefined;
    return new DatabasePages(file, count, pageBytes, header[20] ?? 0);
  }

  /** A hash of each page, at the page's number. */
  hashes(): string[] {
    const hashes: string[] = [''];
    const bytes = Buffer.allocUnsafe(Math.min(READ_BYTES, this.count * this.pageBytes));
    for (let position = 0; hashes.length <= this.count; position += bytes.length) {
      const length = Math.min(bytes.length, this.count * this.pageBytes - position);
      this.#read(bytes.subarray(0, length), position);
      for (let at = 0; at < length; at += this.pageBytes) {
        hashes.push(hash('sha256', bytes.subarray(at, at + this.pageBytes), 'binary'));
      }
    }
    return hashes;
  }

  read(page: number): Buffer {
    const bytes = Buffer.allocUnsafe(this.pageBytes);
    this.#read(bytes, (page - 1) * this.pageBytes);
    return bytes;
  }

  /** The number that a page begins with; for a page of an overflow chain, the next page. */
  firstNumber(page: number): number {
    const bytes = Buffer.allocUnsafe(4);
    this.#read(bytes, (page - 1) * this.pageBytes);
    return bytes.readUInt32BE(0);
  }

  #read(bytes: Buffer, position: number): void {
    if (readSync(this.#file, bytes, 0, bytes.length, position) !== bytes.length) {
      throw new OddDatabase();
    }
  }
}

function identityOf({ dev, ino, size, mtimeNs, ctimeNs, mtimeMs, ctimeMs }: BigIntStats): string | undefined {
  const changedMs = Number(mtimeMs > ctimeMs ? mtimeMs : ctimeMs);
  return changedMs > Date.now() - FRESH_MS ? undefined : [dev, ino, size, mtimeNs, ctimeNs].join('-');
}
