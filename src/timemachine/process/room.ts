import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type ObjectReader, readChunkList } from '../content.ts';
import { TimeMachineFailure } from '../failure.ts';
import { ZEROS_HASH } from '../holes.ts';
import { listEntries } from '../read.ts';
import type { RestorePlan } from '../restore/restorer.ts';
import type { Snapshot } from '../snapshot.ts';
import type { TreeEntry } from '../tree.ts';
import type { SitePlace } from './protocol.ts';

/** What is written: a plan, and for a rehearsal a whole site before it. */
interface Writing {
  plan: Pick<RestorePlan, 'counters' | 'files' | 'tables'>;
  copied?: Pick<Snapshot, 'files' | 'fileBytes'>;
}

/** Before anything is written: what runs out of room half-way leaves nothing half, but it keeps everybody else from writing too. */
export async function requireRoom(
  { content, reserveBytes = 0 }: Pick<SitePlace, 'content' | 'reserveBytes'>,
  reader: ObjectReader,
  writing: Writing,
): Promise<void> {
  const { bavail, bsize } = await statfs(dirname(content));
  const freeBytes = Math.max(0, bavail * bsize - reserveBytes);
  const atMost = bytesOf(writing);
  if (atMost <= freeBytes) return;
  // Where holes are takes long to find out, and mostly there is room in any case.
  const neededBytes = atMost - (await holesOf(reader, writing));
  if (neededBytes <= freeBytes) return;
  const text = `${inMb(neededBytes)} are needed on the disk and ${inMb(freeBytes)} are free (${inMb(reserveBytes)} are kept in reserve).`;
  throw new TimeMachineFailure('no_room', text);
}

/** At most: files beside those that are there, and rows in a database and in its journal. */
function bytesOf({ plan: { counters, tables }, copied }: Writing): number {
  const ranges = tables?.changed.flatMap((change) => (change.how === 'replace' ? change.ranges : [])) ?? [];
  return counters.bytes + 2 * ranges.reduce((sum, { bytes }) => sum + bytes, 0) + (copied?.fileBytes ?? 0);
}

/** What of that is left out when it is written. */
async function holesOf(reader: ObjectReader, { plan, copied }: Writing): Promise<number> {
  let bytes = 0;
  for (const change of plan.files?.changes ?? [])
    if (change.kind === 'file') bytes += await zerosIn(reader, change.entry);
  if (copied) for await (const { entry } of listEntries(reader, copied)) bytes += await zerosIn(reader, entry);
  return bytes;
}

async function zerosIn(reader: ObjectReader, entry: TreeEntry): Promise<number> {
  if (entry.kind !== 'file' || !entry.ref.startsWith('+')) return 0;
  const chunks = await readChunkList(reader, entry.ref);
  return chunks.reduce((sum, [hash, sizeBytes]) => sum + (hash === ZEROS_HASH ? sizeBytes : 0), 0);
}

const inMb = (bytes: number) => `${Math.ceil(bytes / 1024 ** 2)} MB`;
