import { TimeMachineFailure } from '../failure.ts';

/**
 * Where the time machine keeps its bytes. Every object is immutable: it is put once under a key that is never used for
 * other bytes, so nothing here needs a lock, a conditional write or an append, and a disk fits as well as S3.
 */
export interface Store {
  /**
   * Stores an object. When this resolves the object is whole and durable; when it fails or the process dies, the key
   * holds either the whole object or nothing. Putting the same bytes under the same key again is fine.
   */
  put(key: string, parts: readonly Uint8Array[]): Promise<void>;
  /**
   * The object, exactly the bytes of the range, or at most so many from its start or its end. Fails by `missing_object`, or by
   * `short_object` where a range goes beyond the end.
   */
  get(key: string, range?: ByteRange): Promise<Buffer>;
  /** Every object below the prefix, sorted by key. What was put before the call is in the list. */
  list(prefix: string): Promise<StoredObject[]>;
  /** The names right below the prefix, objects and folders alike, sorted. */
  names(prefix: string): Promise<string[]>;
  /** Deleting what is not there is fine. */
  delete(key: string): Promise<void>;
  /** Removes what processes that died in the middle of a put left behind, where a store has such remains. */
  removeAbandoned?(): Promise<void>;
  /** Looks again at what there really is below a prefix, where a store answers from what it knows. */
  lookAgain?(prefix: string): Promise<void>;
  /** Where a put is on this disk first: brings what waits to where it belongs, and tells what still waits. */
  upload?(): Promise<QueueState>;
  close?(): void;
}

export type ByteRange = { start: number; length: number } | { start: number; atMost: number } | { last: number };

export interface StoredObject {
  key: string;
  sizeBytes: number;
  storedAtMs: number;
}

/** What waits on this disk for the store. */
export interface QueueState {
  objects: number;
  bytes: number;
  /** When the one that waits longest was put. */
  oldestMs: number | null;
  /** Why it came no further; null where nothing is in its way. */
  trouble: string | null;
}

export const EMPTY_QUEUE: QueueState = { objects: 0, bytes: 0, oldestMs: null, trouble: null };

export function storeAway(why: string): TimeMachineFailure {
  return new TimeMachineFailure('store_away', `The store of backups can not be reached: ${why}`);
}

export function missingObject(key: string): TimeMachineFailure {
  return new TimeMachineFailure('missing_object', `The store has no object ${key}`);
}

export function shortObject(key: string): TimeMachineFailure {
  return new TimeMachineFailure('short_object', `The object ${key} ends before the bytes that were asked for`);
}

const SEGMENT = /^[A-Za-z0-9_][A-Za-z0-9._-]*$/;

/** Keys are made of plain segments, so that no key can name something outside of the store. */
export function assertKey(key: string): void {
  if (!key.split('/').every((segment) => SEGMENT.test(segment))) throw new Error(`Not a key of the store: ${key}`);
}
