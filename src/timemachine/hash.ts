import { hash } from 'node:crypto';

/** SHA-256 of the plain bytes, in hex: the name of an object. */
export type Hash = string;

export function hashOf(bytes: Uint8Array | string): Hash {
  return hash('sha256', bytes, 'hex');
}

/** An object turned out to be other bytes than its name says, or can not be read as what it should be. */
export class CorruptObject extends Error {
  constructor(what: string) {
    super(`Corrupt: ${what}`);
    this.name = 'CorruptObject';
  }
}
