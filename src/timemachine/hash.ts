import { hash } from 'node:crypto';
import { TimeMachineFailure } from './failure.ts';

/** SHA-256 of the plain bytes, in hex: the name of an object. */
export type Hash = string;

export function hashOf(bytes: Uint8Array | string): Hash {
  return hash('sha256', bytes, 'hex');
}

export function corruptObject(what: string): TimeMachineFailure {
  return new TimeMachineFailure('corrupt_object', `Corrupt: ${what}`);
}
