import { isRef, type Ref } from './content.ts';
import { corruptObject, type Hash, hashOf } from './hash.ts';

/** One instant of a site: files and tables together. It is complete in itself; the parent is only told. */
export interface Snapshot {
  format: 1;
  site: string;
  /** The instant of the cut, RFC 3339 with milliseconds. */
  time: string;
  files: Ref | null;
  tables: Record<string, Ref>;
  /** Tables whose content went into this snapshot. */
  tablesSaved: string[];
  /** Tables that were not read, as `unchanged`, or could not be, with the reason. The latter are not in `tables`. */
  tablesSkipped: Skipped[];
  /** Files that could not be stored as they are, with the reason. */
  filesSkipped: Skipped[];
  /** Whether there was an instant at which all files and tables were as stored; if not, each by itself still is. */
  isConsistent: boolean;
  fileCount: number;
  fileBytes: number;
  parent: Hash | null;
}

export interface Skipped {
  name: string;
  reason: string;
}

export interface SnapshotId {
  hash: Hash;
  timeMs: number;
  key: string;
}

export function encodeSnapshot(snapshot: Snapshot): { hash: Hash; bytes: Buffer } {
  const bytes = Buffer.from(`${JSON.stringify(snapshot, null, 1)}\n`);
  return { hash: hashOf(bytes), bytes };
}

export function decodeSnapshot(hash: Hash, bytes: Buffer): Snapshot {
  if (hashOf(bytes) !== hash) throw corruptObject(`snapshot ${hash} has other bytes`);
  const snapshot = JSON.parse(bytes.toString()) as Snapshot;
  const refs = [...(snapshot.files === null ? [] : [snapshot.files]), ...Object.values(snapshot.tables)];
  if (snapshot.format !== 1 || !refs.every(isRef)) throw corruptObject(`snapshot ${hash} is of another format`);
  return snapshot;
}

/** `<day>/<time>-<hash>`: sorted by time, and no folder grows beyond a day's minutes. */
export function snapshotName(timeMs: number, hash: Hash): string {
  const [day, time] = new Date(timeMs).toISOString().slice(0, 23).split('T') as [string, string];
  return `${day}/${time.replace(/[:.]/g, '')}-${hash}`;
}

const NAME = /^(\d{4}-\d\d-\d\d)\/(\d\d)(\d\d)(\d\d)(\d{3})-([0-9a-f]{64})$/;

export function parseSnapshotName(name: string): { timeMs: number; hash: Hash } | undefined {
  const [, day, hours, minutes, seconds, ms, hash] = NAME.exec(name) ?? [];
  if (!day || !hash) return undefined;
  return { timeMs: Date.parse(`${day}T${hours}:${minutes}:${seconds}.${ms}Z`), hash };
}
