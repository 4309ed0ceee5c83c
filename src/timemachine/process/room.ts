import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { TimeMachineFailure } from '../failure.ts';
import type { RestorePlan } from '../restore/restorer.ts';
import type { SitePlace } from './protocol.ts';

/** What a plan writes, at most: files beside those that are there, and rows in a database and in its journal. */
export function bytesOf({ counters, tables }: Pick<RestorePlan, 'counters' | 'tables'>): number {
  const ranges = tables?.changed.flatMap((change) => (change.how === 'replace' ? change.ranges : [])) ?? [];
  return counters.bytes + 2 * ranges.reduce((sum, { bytes }) => sum + bytes, 0);
}

/** Before anything is written: what runs out of room half-way leaves nothing half, but it keeps everybody else from writing too. */
export async function requireRoom(
  { content, reserveBytes = 0 }: Pick<SitePlace, 'content' | 'reserveBytes'>,
  neededBytes: number,
): Promise<void> {
  const { bavail, bsize } = await statfs(dirname(content));
  const freeBytes = Math.max(0, bavail * bsize - reserveBytes);
  if (neededBytes <= freeBytes) return;
  const text = `${inMb(neededBytes)} are needed on the disk and ${inMb(freeBytes)} are free (${inMb(reserveBytes)} are kept in reserve).`;
  throw new TimeMachineFailure('no_room', text);
}

const inMb = (bytes: number) => `${Math.ceil(bytes / 1024 ** 2)} MB`;
