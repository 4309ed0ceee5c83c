import { ArchiveRefused } from './archive-refused.ts';

/** One file or folder of an archive. Its content is read before the next entry is asked for, or never. */
export interface Entry {
  path: string;
  isFolder: boolean;
  content(): AsyncIterable<Buffer>;
}

/** What an archive may hold, whatever it says of itself. */
export interface ArchiveLimits {
  /** Unpacked, all files together, those that nobody needs included. */
  maxBytes: number;
  maxEntries: number;
}

const MAX_DEPTH = 40;
const MAX_NAME_BYTES = 255;
const MAX_PATH_BYTES = 1024;
const UTF8 = new TextDecoder('utf-8', { fatal: true });

/**
 * A name in an archive as a path below some folder, without a slash at the end; empty for the top itself. Whatever could lead elsewhere is
 * refused and not mended: nobody writes such a name by mistake.
 */
export function readPath(raw: Buffer): string {
  if (raw.length > MAX_PATH_BYTES) throw new ArchiveRefused('a name in it is too long');
  const name = decodeName(raw);
  const shown = JSON.stringify(name.slice(0, 200));
  const refuse = (why: string) => new ArchiveRefused(`${shown} ${why}`);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be in it
  if (/[\x00-\x1f\x7f]/.test(name)) throw refuse('has a control character in its name');
  if (name.includes('\\')) throw refuse('has a backslash in its name');
  if (name.startsWith('/')) throw refuse('is an absolute path');
  if (/^[A-Za-z]:/.test(name)) throw refuse('names a drive');
  const parts = name.split('/').filter((part) => part !== '' && part !== '.');
  if (parts.includes('..')) throw refuse('leads out of its folder');
  if (parts.length > MAX_DEPTH) throw refuse(`is more than ${MAX_DEPTH} folders deep`);
  if (parts.some((part) => Buffer.byteLength(part) > MAX_NAME_BYTES)) throw refuse('has a name that is too long');
  return parts.join('/');
}

function decodeName(raw: Buffer): string {
  try {
    return UTF8.decode(raw).normalize('NFC');
  } catch {
    throw new ArchiveRefused('a name in it is not UTF-8');
  }
}

const FILE_TYPES = new Map([
  [0o120000, 'a symbolic link'],
  [0o020000, 'a device'],
  [0o060000, 'a device'],
  [0o010000, 'a named pipe'],
  [0o140000, 'a socket'],
]);
const TYPE_BITS = 0o170000;
const SET_ID_BITS = 0o6000;

/** Only plain files and folders are taken. That a folder hands on its group is common, and means nothing here. */
export function checkMode(path: string, mode: number, isFolder: boolean): void {
  const type = FILE_TYPES.get(mode & TYPE_BITS);
  if (type) throw new ArchiveRefused(`${JSON.stringify(path)} is ${type}`);
  if (!isFolder && mode & SET_ID_BITS) throw new ArchiveRefused(`${JSON.stringify(path)} would run as another user`);
}

const FOLDER_BYTES = 4096;

/** Counts what an archive turns out to hold, and refuses it once that is too much or the same name comes again. */
export class Tally {
  readonly #limits: ArchiveLimits;
  /** Each path in lower case, with what it is. */
  readonly #seen = new Map<string, 'file' | 'folder'>();
  #bytes = 0;

  constructor(limits: ArchiveLimits) {
    this.#limits = limits;
  }

  /** Two names that differ by their case alone are one file to some, and to us a trick. */
  add(path: string, isFolder: boolean): void {
    const parts = path.toLowerCase().split('/');
    for (let depth = 1; depth < parts.length; depth++) this.#note(parts.slice(0, depth).join('/'), 'folder', path);
    this.#note(parts.join('/'), isFolder ? 'folder' : 'file', path);
  }

  count(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes > this.#limits.maxBytes)
      throw new ArchiveRefused(`it unpacks to more than ${Math.floor(this.#limits.maxBytes / 1_000_000)} MB`);
  }

  #note(key: string, kind: 'file' | 'folder', path: string): void {
    const known = this.#seen.get(key);
    if (known === 'file' || (known && kind === 'file'))
      throw new ArchiveRefused(`${JSON.stringify(path)} is in it twice, be it in another spelling`);
    // Folders that are only on the way to a file take place too.
    if (!known) {
      if (this.#seen.size >= this.#limits.maxEntries)
        throw new ArchiveRefused(`it holds more than ${this.#limits.maxEntries} files and folders`);
      if (kind === 'folder') this.count(FOLDER_BYTES);
    }
    this.#seen.set(key, kind);
  }
}
