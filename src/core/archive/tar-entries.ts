import { ArchiveRefused } from './archive-refused.ts';
import { ByteReader } from './byte-reader.ts';
import { checkMode, type Entry, readPath, type Tally } from './entry.ts';

const BLOCK = 512;
/** Of a header that goes on in blocks of its own: long names, and what pax adds. */
const MAX_EXTENSION_BYTES = 64 * 1024;

const REFUSED_TYPES: Record<string, string> = {
  '1': 'a hard link',
  '2': 'a symbolic link',
  '3': 'a device',
  '4': 'a device',
  '6': 'a named pipe',
  S: 'a file with holes',
};

/** What comes before an entry and belongs to it. */
interface Extension {
  name?: Buffer;
  size?: number;
}

/** The entries of a tar stream: as POSIX writes it, with pax headers, and with GNU's long names. */
export async function* tarEntries(source: AsyncIterable<Buffer>, tally: Tally): AsyncGenerator<Entry> {
  const reader = new ByteReader(source);
  let extension: Extension = {};
  for (let header = await reader.take(BLOCK); header; header = await reader.take(BLOCK)) {
    if (header.every((byte) => byte === 0)) return;
    checkSum(header);
    const type = String.fromCharCode(header[156] as number);
    const sizeBytes = extension.size ?? readNumber(header, 124, 12);
    tally.count(BLOCK);
    if (type === 'L' || type === 'K' || type === 'x' || type === 'g') {
      const data = await readExtension(reader, readNumber(header, 124, 12), tally);
      // Whose link it is comes next, and is refused for being one; what is said of all entries says nothing of their names.
      if (type === 'L') extension = { ...extension, name: data.subarray(0, endOf(data)) };
      if (type === 'x') extension = { ...extension, ...readPax(data) };
      continue;
    }
    const raw = extension.name ?? nameOf(header);
    const path = readPath(raw);
    const isFolder = type === '5' || raw.at(-1) === 0x2f;
    if (REFUSED_TYPES[type]) throw new ArchiveRefused(`${JSON.stringify(path)} is ${REFUSED_TYPES[type]}`);
    if (!['0', '\0', '5', '7'].includes(type))
      throw new ArchiveRefused(`${JSON.stringify(path)} is of an unknown kind`);
    checkMode(path, readNumber(header, 100, 8) & 0o7777, isFolder);
    if (isFolder && sizeBytes > 0) throw new ArchiveRefused(`${JSON.stringify(path)} is a folder with a content`);
    if (path !== '') tally.add(path, isFolder);
    const content = counted(reader.pieces(sizeBytes), tally);
    if (path !== '') yield { path, isFolder, content: () => content };
    // Whatever nobody read.
    for await (const _ of content);
    await reader.take((BLOCK - (sizeBytes % BLOCK)) % BLOCK);
    extension = {};
  }
}

async function* counted(source: AsyncIterable<Buffer>, tally: Tally): AsyncGenerator<Buffer> {
  for await (const chunk of source) {
    tally.count(chunk.length);
    yield chunk;
  }
}

async function readExtension(reader: ByteReader, sizeBytes: number, tally: Tally): Promise<Buffer> {
  if (sizeBytes > MAX_EXTENSION_BYTES) throw new ArchiveRefused('a name in it is too long');
  tally.count(sizeBytes);
  const data = (await reader.take(sizeBytes)) ?? Buffer.alloc(0);
  await reader.take((BLOCK - (sizeBytes % BLOCK)) % BLOCK);
  return data;
}

/** Records like `21 path=some/long/name\n`, each with its own length in front. */
function readPax(data: Buffer): Extension {
  const extension: Extension = {};
  for (let at = 0; at < data.length; ) {
    const blank = data.indexOf(' ', at);
    const length = blank > at ? Number(data.toString('latin1', at, blank)) : Number.NaN;
    const record = data.subarray(blank + 1, at + length - 1);
    if (!Number.isSafeInteger(length) || blank < 0 || at + length > data.length || at + length <= blank + 1)
      throw new ArchiveRefused('it is damaged');
    const equals = record.indexOf('=');
    const key = record.toString('latin1', 0, Math.max(0, equals));
    const value = record.subarray(equals + 1);
    if (key === 'path') extension.name = value;
    if (key === 'size') extension.size = sizeOf(value.toString('latin1'));
    if (key.startsWith('GNU.sparse')) throw new ArchiveRefused('it holds a file with holes');
    at += length;
  }
  return extension;
}

function sizeOf(text: string): number {
  const size = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
  if (!Number.isSafeInteger(size)) throw new ArchiveRefused('it is damaged');
  return size;
}

function nameOf(header: Buffer): Buffer {
  const name = header.subarray(0, endOf(header.subarray(0, 100)));
  const isUstar = header.toString('latin1', 257, 263) === 'ustar\0';
  const prefix = header.subarray(345, 345 + endOf(header.subarray(345, 500)));
  return isUstar && prefix.length > 0 ? Buffer.concat([prefix, Buffer.from('/'), name]) : name;
}

const endOf = (bytes: Buffer) => (bytes.includes(0) ? bytes.indexOf(0) : bytes.length);

/** Octal digits; what needs more than those is larger than anything we take. */
function readNumber(header: Buffer, at: number, length: number): number {
  const text = header
    .toString('latin1', at, at + length)
    .replace(/\0.*$/s, '')
    .trim();
  if (!/^[0-7]*$/.test(text)) throw new ArchiveRefused('it is damaged, or a file in it is far too large');
  return Number.parseInt(text || '0', 8);
}

function checkSum(header: Buffer): void {
  const wanted = readNumber(header, 148, 8);
  let sum = 8 * 0x20;
  for (let at = 0; at < BLOCK; at++) if (at < 148 || at >= 156) sum += header[at] as number;
  if (sum !== wanted) throw new ArchiveRefused('it is damaged, or no archive at all');
}
