import { createCipheriv, createDecipheriv, hkdfSync } from 'node:crypto';
import { askPlatform, type PlatformDoor, PlatformRefused } from '#core/platform-door.ts';
import { failedBy } from '../failure.ts';
import { corruptObject } from '../hash.ts';
import { type ByteRange, type Store, type StoredObject, shortObject, storeAway } from './store.ts';

export type SealDescription = {
  /** Whether new objects are sealed. Those that are, and those that are not, can be read in any case. */
  isOn: boolean;
} & (
  | {
      /** Base64; lasts as long as the platform does, whatever becomes of its key. */
      key: string;
    }
  | {
      /** Who has no key asks the platform for that of each object. */
      door: PlatformDoor;
    }
);

const SUFFIX = '.sealed';
const SEGMENT_BYTES = 64 * 1024;
const TAG_BYTES = 16;
const STORED_SEGMENT_BYTES = SEGMENT_BYTES + TAG_BYTES;
const MAGIC = Buffer.from('SYSEAL1\n');
/** How many bytes it holds, and the magic. */
const END_BYTES = 16;

/**
 * Seals what a store is given with AES-256-GCM, in segments of their own, so that a part can be read by itself. Each object has a key of its
 * own, derived from its name: a name is never used for other bytes (store.ts), so no nonce is used for two things. A sealed object has another name in
 * the store below, which tells it apart from those that were put before anything was sealed. That segments are missing at the end is found by whoever
 * reads a pack or a snapshot: both are what their own hashes say, or nothing.
 */
export class SealedStore implements Store {
  readonly #below: Store;
  readonly #keyOf: (name: string) => Promise<Buffer>;
  readonly #isOn: boolean;

  constructor(below: Store, seal: SealDescription) {
    this.#below = below;
    this.#keyOf =
      'key' in seal ? async (name) => sealedObjectKey(seal.key, name) : (name) => askForKey(seal.door, name);
    this.#isOn = seal.isOn;
  }

  async put(key: string, parts: readonly Uint8Array[]): Promise<void> {
    if (!this.#isOn) return this.#below.put(key, parts);
    await this.#below.put(`${key}${SUFFIX}`, [seal(await this.#keyOf(key), Buffer.concat(parts))]);
  }

  async get(key: string, range?: ByteRange): Promise<Buffer> {
    const [first, second] = this.#isOn ? [this.#open, this.#plain] : [this.#plain, this.#open];
    try {
      return await first.call(this, key, range);
    } catch (error) {
      if (!failedBy(error, 'missing_object')) throw error;
      return second.call(this, key, range);
    }
  }

  #plain(key: string, range?: ByteRange): Promise<Buffer> {
    return this.#below.get(key, range);
  }

  async #open(key: string, range?: ByteRange): Promise<Buffer> {
    const name = `${key}${SUFFIX}`;
    if (range && 'start' in range) return this.#openPart(key, name, range);
    const wanted = range === undefined ? undefined : storedBytes(range.last) + STORED_SEGMENT_BYTES;
    const stored = await this.#below.get(name, wanted === undefined ? undefined : { last: wanted });
    const end = stored.subarray(-END_BYTES);
    if (end.length < END_BYTES || !end.subarray(8).equals(MAGIC)) throw corruptObject(`the end of ${name}`);
    const size = Number(end.readBigUInt64LE(0));
    const total = storedBytes(size);
    if (stored.length > total || (range === undefined && stored.length !== total))
      throw corruptObject(`${name} has another size`);
    // From the first segment on that is there as a whole.
    const first = Math.ceil((total - stored.length) / STORED_SEGMENT_BYTES);
    const plain = await this.#openSegments(
      key,
      stored.subarray(first * STORED_SEGMENT_BYTES - (total - stored.length), -END_BYTES),
      first,
    );
    return range === undefined ? plain : plain.subarray(Math.max(0, plain.length - range.last));
  }

  async #openPart(key: string, name: string, range: Exclude<ByteRange, { last: number }>): Promise<Buffer> {
    const length = 'atMost' in range ? range.atMost : range.length;
    const first = Math.floor(range.start / SEGMENT_BYTES);
    const last = Math.max(first, Math.ceil((range.start + length) / SEGMENT_BYTES) - 1);
    const atMost = (last - first + 1) * STORED_SEGMENT_BYTES + END_BYTES;
    const stored = await this.#below.get(name, { start: first * STORED_SEGMENT_BYTES, atMost });
    // Where the object ends in there, its end is no segment.
    const isEnd = stored.length < atMost || stored.subarray(-MAGIC.length).equals(MAGIC);
    const segments = isEnd ? withoutEnd(name, stored, first) : stored.subarray(0, -END_BYTES);
    const plain = await this.#openSegments(key, segments, first);
    const start = range.start - first * SEGMENT_BYTES;
    if ('length' in range && plain.length < start + length) throw shortObject(key);
    return plain.subarray(start, start + length);
  }

  async list(prefix: string): Promise<StoredObject[]> {
    const found = await this.#below.list(prefix);
    const objects = found.map((each) =>
      each.key.endsWith(SUFFIX)
        ? { ...each, key: each.key.slice(0, -SUFFIX.length), sizeBytes: plainBytes(each.sizeBytes) }
        : each,
    );
    // An object may be there in both ways, where sealing was turned on or off in between.
    const byKey = new Map(objects.map((each) => [each.key, each]));
    return [...byKey.values()].sort((a, b) => (a.key < b.key ? -1 : 1));
  }

  async names(prefix: string): Promise<string[]> {
    const names = await this.#below.names(prefix);
    return [...new Set(names.map((name) => (name.endsWith(SUFFIX) ? name.slice(0, -SUFFIX.length) : name)))].sort();
  }

  async delete(key: string): Promise<void> {
    await this.#below.delete(`${key}${SUFFIX}`);
    await this.#below.delete(key);
  }

  async removeAbandoned(): Promise<void> {
    await this.#below.removeAbandoned?.();
  }

  async #openSegments(key: string, stored: Buffer, first: number): Promise<Buffer> {
    const objectKey = await this.#keyOf(key);
    const plain: Buffer[] = [];
    for (let at = 0, number = first; at < stored.length; at += STORED_SEGMENT_BYTES, number++) {
      const segment = stored.subarray(at, at + STORED_SEGMENT_BYTES);
      if (segment.length < TAG_BYTES) throw corruptObject(`${key} ends in the middle of a segment`);
      const decipher = createDecipheriv('aes-256-gcm', objectKey, nonceOf(number));
      decipher.setAuthTag(segment.subarray(-TAG_BYTES));
      plain.push(decipher.update(segment.subarray(0, -TAG_BYTES)));
      try {
        decipher.final();
      } catch {
        throw corruptObject(`${key} can not be opened with the platform's key`);
      }
    }
    return Buffer.concat(plain);
  }
}

async function askForKey(door: PlatformDoor, name: string): Promise<Buffer> {
  try {
    return Buffer.from((await askPlatform(door, 'backupKey', { name })) as string, 'base64');
  } catch (error) {
    throw error instanceof PlatformRefused ? error : storeAway(`no key: ${(error as Error).message}`);
  }
}

/** The key of one object, of the store's, which is Base64. */
export function sealedObjectKey(storeKey: string, name: string): Buffer {
  return Buffer.from(hkdfSync('sha256', Buffer.from(storeKey, 'base64'), '', `siteyard:backup:${name}`, 32));
}

function seal(key: Buffer, plain: Buffer): Buffer {
  const parts: Buffer[] = [];
  for (let at = 0, number = 0; at < plain.length; at += SEGMENT_BYTES, number++) {
    const cipher = createCipheriv('aes-256-gcm', key, nonceOf(number));
    parts.push(cipher.update(plain.subarray(at, at + SEGMENT_BYTES)), cipher.final(), cipher.getAuthTag());
  }
  const size = Buffer.alloc(8);
  size.writeBigUInt64LE(BigInt(plain.length));
  return Buffer.concat([...parts, size, MAGIC]);
}

function withoutEnd(name: string, stored: Buffer, first: number): Buffer {
  const end = stored.subarray(-END_BYTES);
  // It ends before the first byte that was asked for.
  if (stored.length < END_BYTES) return Buffer.alloc(0);
  const left = storedBytes(Number(end.readBigUInt64LE(0))) - first * STORED_SEGMENT_BYTES;
  if (!end.subarray(8).equals(MAGIC) || left !== stored.length) throw corruptObject(`the end of ${name}`);
  return stored.subarray(0, -END_BYTES);
}

function nonceOf(number: number): Buffer {
  const nonce = Buffer.alloc(12);
  nonce.writeUInt32BE(number, 8);
  return nonce;
}

const storedBytes = (plain: number) => plain + Math.ceil(plain / SEGMENT_BYTES) * TAG_BYTES + END_BYTES;

const plainBytes = (stored: number) =>
  stored - END_BYTES - Math.ceil((stored - END_BYTES) / STORED_SEGMENT_BYTES) * TAG_BYTES;
