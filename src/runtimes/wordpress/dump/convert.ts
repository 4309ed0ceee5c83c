import { TextDecoder } from 'node:util';
import type { SqlValue } from '#runtimes/runtime.ts';
import type { Value } from './read-rows.ts';
import type { Affinity } from './table.ts';

/** Why a value is none that its column can have, in words that follow "the value of x". */
export class Unfit extends Error {}

/** What MySQL calls latin1 is windows-1252. */
const ENCODINGS = new Map(
  Object.entries({
    utf8: 'utf-8',
    utf8mb3: 'utf-8',
    utf8mb4: 'utf-8',
    binary: 'utf-8',
    ascii: 'utf-8',
    latin1: 'windows-1252',
  }),
);
const DECODERS = new Map<string, TextDecoder>();
const [MIN_INTEGER, MAX_INTEGER] = [-(2n ** 63n), 2n ** 63n - 1n];

export const isKnownCharset = (charset: string) => ENCODINGS.has(charset);

/** A value of a dump as the column keeps it. */
export function toSqlValue(value: Value, affinity: Affinity, charset: string): SqlValue {
  if (value === null) return null;
  if (affinity === 'blob') return value.kind === 'number' ? Buffer.from(value.text) : value.bytes;
  if (affinity === 'text') return value.kind === 'number' ? value.text : decode(value, charset);
  if (value.kind === 'bytes') return integer(BigInt(`0x${value.bytes.toString('hex') || '0'}`));
  return toNumber(value.kind === 'number' ? value.text : value.bytes.toString('latin1'), affinity);
}

function decode(value: Exclude<Value, null | { kind: 'number' }>, charset: string): string {
  const named = value.kind === 'string' ? (value.charset ?? charset) : 'utf8mb4';
  const encoding = ENCODINGS.get(named);
  if (!encoding) throw new Unfit(`is in the character set ${named}, which is not taken`);
  const decoder = DECODERS.get(encoding) ?? new TextDecoder(encoding, { fatal: true, ignoreBOM: true });
  DECODERS.set(encoding, decoder);
  try {
    return decoder.decode(value.bytes);
  } catch {
    throw new Unfit(`is no text in the character set that the dump names (${named})`);
  }
}

function toNumber(text: string, affinity: 'integer' | 'real'): SqlValue {
  const trimmed = text.trim();
  if (affinity === 'integer' && /^[-+]?\d{1,20}$/.test(trimmed)) return integer(BigInt(trimmed.replace('+', '')));
  if (affinity === 'real' && /^[-+]?(\d+(\.\d*)?|\.\d+)(e[-+]?\d+)?$/i.test(trimmed)) return Number(trimmed);
  throw new Unfit('is no number');
}

function integer(value: bigint): SqlValue {
  if (value < MIN_INTEGER || value > MAX_INTEGER) throw new Unfit('is too large a number');
  return Number.isSafeInteger(Number(value)) ? Number(value) : value;
}
