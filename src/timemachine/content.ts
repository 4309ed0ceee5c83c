import { chunkEnd } from './chunker.ts';
import { corruptObject, type Hash } from './hash.ts';

/**
 * Names content of any length: the hash of an object that is the content, or `+` and the hash of an object that lists the
 * chunks it is made of, as JSON `[[hash, bytes], …]`.
 */
export type Ref = string;

export type Chunk = [hash: Hash, sizeBytes: number];

export interface ObjectReader {
  read(hash: Hash): Promise<Buffer>;
}

export interface ObjectWriter {
  add(plain: Uint8Array): Hash;
}

const REF = /^\+?[0-9a-f]{64}$/;

export function isRef(value: unknown): value is Ref {
  return typeof value === 'string' && REF.test(value);
}

export function hashOfRef(ref: Ref): Hash {
  return ref.startsWith('+') ? ref.slice(1) : ref;
}

/** Stores the bytes as one object, or as chunks where they are more than `wholeBelow`. */
export function addContent(writer: ObjectWriter, bytes: Uint8Array, wholeBelow: number): Ref {
  if (bytes.length < wholeBelow) return writer.add(bytes);
  const chunks: Chunk[] = [];
  for (let start = 0; start < bytes.length; ) {
    const end = chunkEnd(bytes, start, bytes.length);
    chunks.push([writer.add(bytes.subarray(start, end)), end - start]);
    start = end;
  }
  return addChunkList(writer, chunks);
}

export function addChunkList(writer: ObjectWriter, chunks: readonly Chunk[]): Ref {
  return `+${writer.add(Buffer.from(JSON.stringify(chunks)))}`;
}

export async function readContent(reader: ObjectReader, ref: Ref): Promise<Buffer> {
  if (!ref.startsWith('+')) return reader.read(ref);
  const parts: Buffer[] = [];
  for (const [hash] of await readChunkList(reader, ref)) parts.push(await reader.read(hash));
  return Buffer.concat(parts);
}

/** The objects that make up the content, in order. For content that is one object its size is not known here. */
export async function readChunkList(reader: ObjectReader, ref: Ref): Promise<Chunk[]> {
  const list = parseJson(await reader.read(hashOfRef(ref)), ref);
  if (!Array.isArray(list) || !list.every((chunk) => isRef(chunk?.[0]) && Number.isSafeInteger(chunk?.[1]))) {
    throw corruptObject(`${ref} is no list of chunks`);
  }
  return list as Chunk[];
}

export function parseJson(bytes: Buffer, what: string): unknown {
  try {
    return JSON.parse(bytes.toString());
  } catch {
    throw corruptObject(`${what} is not JSON`);
  }
}
