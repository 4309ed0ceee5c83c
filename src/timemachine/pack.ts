import { randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { compress, decompress } from './compression.ts';
import { corruptObject, type Hash, hashOf } from './hash.ts';

/**
 * Many objects in one file: magic, the frames one after the other, the index, and an end of fixed size. The pack is named
 * after the hash of its index. So every byte is covered: frames by the hash of what they hold, compressed ones also by the
 * checksum in the index (two of them may hold the same), the index by the name, the rest by being what it must be.
 */
const MAGIC = Buffer.from('SYPACK1\n');
const ENTRY_BYTES = 52;
/** The same objects packed twice are two packs: one can be deleted while the other one is being written. */
const NONCE_BYTES = 16;
const COMPRESSED = 1;
export const END_BYTES = 16;

export interface Frame {
  hash: Hash;
  offset: number;
  storedBytes: number;
  plainBytes: number;
  /** Of the stored bytes; 0 where these are the object itself, whose hash says it all. */
  checksum: number;
  isCompressed: boolean;
}

const FIRST_CAPACITY = 64 * 1024;
const SPARE_FROM = 8 * 1024 * 1024;
/** The big buffer of the last full pack: new memory costs more than filling it. */
let spare: Buffer | undefined;

/** Gathers objects; `build` gives the pack's bytes. */
export class PackBuilder {
  readonly frames = new Map<Hash, Frame>();
  #bytes: Buffer = Buffer.allocUnsafe(0);
  sizeBytes = 0;

  /** Compresses or copies the bytes, which the caller may use again. */
  add(hash: Hash, plain: Uint8Array): void {
    const compressed = compress(plain);
    this.addStored(hash, compressed ?? plain, plain.length, compressed !== undefined);
  }

  /** Takes a frame of another pack as it is. */
  addStored(hash: Hash, stored: Uint8Array, plainBytes: number, isCompressed: boolean): void {
    if (this.frames.size === 0) this.#append(MAGIC);
    const frame = { hash, offset: this.sizeBytes, storedBytes: stored.length, plainBytes, isCompressed };
    this.frames.set(hash, { ...frame, checksum: isCompressed ? crc32(stored) : 0 });
    this.#append(stored);
  }

  #append(bytes: Uint8Array): void {
    const needed = this.sizeBytes + bytes.length;
    if (needed > this.#bytes.length) {
      const capacity = Math.max(FIRST_CAPACITY, needed, this.#bytes.length * 4);
      const bigger =
        spare && spare.length >= needed && capacity > SPARE_FROM ? spare : Buffer.allocUnsafeSlow(capacity);
      if (bigger === spare) spare = undefined;
      this.#bytes.copy(bigger, 0, 0, this.sizeBytes);
      this.#bytes = bigger;
    }
    this.#bytes.set(bytes, this.sizeBytes);
    this.sizeBytes = needed;
  }

  /** To be called when the built parts are no longer used. */
  recycle(): void {
    if (this.#bytes.length > SPARE_FROM) spare = this.#bytes;
    this.#bytes = Buffer.allocUnsafe(0);
  }

  build(): { id: Hash; parts: Uint8Array[] } {
    const index = Buffer.alloc(this.frames.size * ENTRY_BYTES + NONCE_BYTES);
    let at = 0;
    for (const frame of this.frames.values()) {
      index.write(frame.hash, at, 'hex');
      index.writeUInt32LE(frame.offset, at + 32);
      index.writeUInt32LE(frame.storedBytes, at + 36);
      index.writeUInt32LE(frame.plainBytes, at + 40);
      index.writeUInt32LE(frame.checksum, at + 44);
      index.writeUInt32LE(frame.isCompressed ? COMPRESSED : 0, at + 48);
      at += ENTRY_BYTES;
    }
    randomBytes(NONCE_BYTES).copy(index, at);
    const end = Buffer.alloc(END_BYTES);
    end.writeUInt32LE(this.frames.size, 0);
    end.writeUInt32LE(crc32(index), 4);
    MAGIC.copy(end, 8);
    return { id: hashOf(index), parts: [this.#bytes.subarray(0, this.sizeBytes), index, end] };
  }
}

export const indexBytesFor = (frames: number) => frames * ENTRY_BYTES + NONCE_BYTES;

/** How many bytes before the end hold the index, told from the last bytes of a pack. */
export function indexBytes(id: Hash, end: Buffer): number {
  if (!end.subarray(8).equals(MAGIC)) throw corruptObject(`the end of pack ${id}`);
  return indexBytesFor(end.readUInt32LE(0));
}

export function parseIndex(id: Hash, index: Buffer, end: Buffer): Frame[] {
  if (hashOf(index) !== id || crc32(index) !== end.readUInt32LE(4)) throw corruptObject(`the index of pack ${id}`);
  const frames: Frame[] = [];
  for (let at = 0; at < index.length - NONCE_BYTES; at += ENTRY_BYTES) {
    frames.push({
      hash: index.toString('hex', at, at + 32),
      offset: index.readUInt32LE(at + 32),
      storedBytes: index.readUInt32LE(at + 36),
      plainBytes: index.readUInt32LE(at + 40),
      checksum: index.readUInt32LE(at + 44),
      isCompressed: index.readUInt32LE(at + 48) === COMPRESSED,
    });
  }
  return frames;
}

/** The object in a frame. Never returns bytes that are not the object. */
export function openFrame(frame: Pick<Frame, 'hash' | 'plainBytes' | 'isCompressed'>, stored: Buffer): Buffer {
  let plain = stored;
  if (frame.isCompressed) {
    try {
      plain = decompress(stored, frame.plainBytes);
    } catch {
      throw corruptObject(`object ${frame.hash} can not be decompressed`);
    }
  }
  if (hashOf(plain) !== frame.hash) throw corruptObject(`object ${frame.hash} has other bytes`);
  return plain;
}

/** Reads a whole pack and verifies every byte of it. Faults are told one by one, so that the sound frames still count. */
export function verifyPack(id: Hash, bytes: Buffer, onFault: (fault: string) => void): Frame[] {
  let frames: Frame[];
  let indexStart: number;
  try {
    const end = bytes.subarray(bytes.length - END_BYTES);
    if (end.length < END_BYTES) throw corruptObject(`pack ${id} is too short`);
    indexStart = bytes.length - END_BYTES - indexBytes(id, end);
    frames = parseIndex(id, bytes.subarray(Math.max(0, indexStart), bytes.length - END_BYTES), end);
  } catch (error) {
    onFault((error as Error).message);
    return [];
  }
  if (!bytes.subarray(0, MAGIC.length).equals(MAGIC)) onFault(`Corrupt: the start of pack ${id}`);
  const sound: Frame[] = [];
  let expected = MAGIC.length;
  for (const frame of frames) {
    const stored = bytes.subarray(frame.offset, frame.offset + frame.storedBytes);
    if (frame.offset !== expected) onFault(`Corrupt: pack ${id} has a gap at ${expected}`);
    expected = frame.offset + frame.storedBytes;
    try {
      if (frame.isCompressed && crc32(stored) !== frame.checksum)
        throw corruptObject(`object ${frame.hash} in pack ${id}`);
      openFrame(frame, stored);
      sound.push(frame);
    } catch (error) {
      onFault((error as Error).message);
    }
  }
  if (expected !== indexStart) onFault(`Corrupt: pack ${id} has a gap`);
  return sound;
}
