import { crc32 } from 'node:zlib';

/** The parts of a zip file (PKWARE's APPNOTE, 4.3) whose entries are as long as they turn out to be: sizes follow the content. */
export interface ZipEntry {
  /** A folder's ends with a slash. */
  name: string;
  modifiedAt: Date;
  mode: number;
  offset: number;
  crc: number;
  packedBytes: number;
  sizeBytes: number;
}

/** What needs the longer form of the format is refused: nobody downloads that through a browser. */
export const ZIP_MAX_BYTES = 0xffff_ffff;
export const ZIP_MAX_ENTRIES = 0xffff;

const VERSION = 20;
/** The name is UTF-8, and the sizes follow the content. */
const FLAGS = 0x0808;
const DEFLATED = 8;
const MADE_ON_UNIX = 3 << 8;

export function zipHeader({ name, modifiedAt }: ZipEntry): Buffer {
  const bytes = Buffer.from(name);
  const head = Buffer.alloc(30);
  head.writeUInt32LE(0x04034b50, 0);
  writeCommon(head, 4, modifiedAt);
  head.writeUInt16LE(bytes.length, 26);
  return Buffer.concat([head, bytes]);
}

export function zipSizes({ crc, packedBytes, sizeBytes }: ZipEntry): Buffer {
  const sizes = Buffer.alloc(16);
  sizes.writeUInt32LE(0x08074b50, 0);
  writeSizes(sizes, 4, { crc, packedBytes, sizeBytes });
  return sizes;
}

/** What every zip file ends with. */
export function zipDirectory(entries: readonly ZipEntry[], offset: number): Buffer {
  const records = entries.map((entry) => {
    const bytes = Buffer.from(entry.name);
    const record = Buffer.alloc(46);
    record.writeUInt32LE(0x02014b50, 0);
    record.writeUInt16LE(MADE_ON_UNIX | VERSION, 4);
    writeCommon(record, 6, entry.modifiedAt);
    writeSizes(record, 16, entry);
    record.writeUInt16LE(bytes.length, 28);
    record.writeUInt32LE((entry.mode << 16) >>> 0, 38);
    record.writeUInt32LE(entry.offset, 42);
    return Buffer.concat([record, bytes]);
  });
  const directory = Buffer.concat(records);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([directory, end]);
}

export const addCrc = (crc: number, piece: Buffer): number => crc32(piece, crc);

function writeCommon(into: Buffer, at: number, modifiedAt: Date): void {
  into.writeUInt16LE(VERSION, at);
  into.writeUInt16LE(FLAGS, at + 2);
  into.writeUInt16LE(DEFLATED, at + 4);
  // MS-DOS' own time, in steps of two seconds since 1980.
  const year = Math.min(Math.max(modifiedAt.getUTCFullYear(), 1980), 2107);
  const time = (modifiedAt.getUTCHours() << 11) | (modifiedAt.getUTCMinutes() << 5) | (modifiedAt.getUTCSeconds() >> 1);
  const date = ((year - 1980) << 9) | ((modifiedAt.getUTCMonth() + 1) << 5) | modifiedAt.getUTCDate();
  into.writeUInt16LE(time, at + 6);
  into.writeUInt16LE(date, at + 8);
}

function writeSizes(
  into: Buffer,
  at: number,
  { crc, packedBytes, sizeBytes }: Pick<ZipEntry, 'crc' | 'packedBytes' | 'sizeBytes'>,
): void {
  into.writeUInt32LE(crc, at);
  into.writeUInt32LE(packedBytes, at + 4);
  into.writeUInt32LE(sizeBytes, at + 8);
}
