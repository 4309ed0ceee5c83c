import { failedBy } from '../failure.ts';
import { type Hash, hashOf } from '../hash.ts';
import { type Frame, openFrame } from '../pack.ts';
import { condemnedPack, NOWHERE, PACK_BYTES, type Pool, type PoolWriter } from '../pool.ts';

/** No writer relies on what it saw of a pool for half as long, and no restore takes that long. */
export const GRACE_MS = 60 * 60_000;
/** Smaller packs are joined, once there are so many of them. */
const SMALL_BYTES = PACK_BYTES / 2;
const SMALL_COUNT = 16;
/** A pack of which less is needed is written anew without the rest. */
const WORTH_KEEPING = 0.6;

export interface SweepReport {
  packsCondemned: number;
  packsDeleted: number;
  packsWritten: number;
  bytesDeleted: number;
}

/** What could not be moved, and stays where it is. */
type OnTrouble = (trouble: string) => void;

/**
 * Frees what no snapshot needs, and joins small packs. Runs beside writers: a pack is only ever condemned at first, which
 * keeps writers from building on it, and deleted in a later sweep, after the grace period and after asking again whether
 * anything in it is needed. Objects that are still needed are copied to a new pack before. A kill at any point leaves
 * objects stored twice at worst.
 */
export async function sweep(
  pool: Pool,
  needed: ReadonlySet<Hash>,
  options: { nowMs?: number; graceMs?: number; onTrouble?: OnTrouble } = {},
): Promise<SweepReport> {
  const { nowMs = Date.now(), graceMs = GRACE_MS, onTrouble = () => {} } = options;
  const report: SweepReport = { packsCondemned: 0, packsDeleted: 0, packsWritten: 0, bytesDeleted: 0 };
  await pool.refresh();
  const packs = await survey(pool, needed);
  await dropMarks(pool, needed, new Set(packs.map(({ id }) => id)));
  const old = packs.filter((pack) => nowMs - pack.storedAtMs >= graceMs);
  const due = packs.filter(({ condemnedAtMs }) => condemnedAtMs !== undefined && nowMs - condemnedAtMs >= graceMs);
  const active = old.filter(({ condemnedAtMs }) => condemnedAtMs === undefined);
  const small = active.filter(({ sizeBytes, live }) => sizeBytes < SMALL_BYTES && live.length > 0);
  const toJoin = small.length >= SMALL_COUNT ? small : [];
  const wasteful = active.filter((pack) => pack.liveBytes < pack.sizeBytes * WORTH_KEEPING);
  const toEmpty = [...new Set([...toJoin, ...wasteful])];

  const writer = pool.writer();
  const stuck = new Set<SurveyedPack>();
  for (const pack of [...due, ...toEmpty]) {
    for (const frame of pack.live) {
      if (await moveFrame(pool, pack, frame, writer, onTrouble)) continue;
      stuck.add(pack);
    }
  }
  await writer.flush();
  report.packsWritten = writer.packsWritten;
  for (const { id } of toEmpty.filter((pack) => !stuck.has(pack))) {
    await pool.store.put(`${pool.prefix}/condemned/${nowMs}-${id}`, []);
    report.packsCondemned++;
  }
  for (const pack of due.filter((each) => !stuck.has(each))) {
    await pool.store.delete(pool.packKey(pack.id));
    await pool.store.delete(pack.condemnedKey as string);
    report.packsDeleted++;
    report.bytesDeleted += pack.sizeBytes;
  }
  await pool.refresh();
  return report;
}

/** Damage is not carried into a new pack under a fresh checksum: it stays where it is, and so does its pack. */
async function moveFrame(
  pool: Pool,
  { id }: SurveyedPack,
  frame: Frame,
  writer: PoolWriter,
  onTrouble: OnTrouble,
): Promise<boolean> {
  try {
    const stored = await pool.readFrames(id, frame.offset, frame.storedBytes);
    openFrame(frame, stored);
    writer.addStored(frame, stored);
  } catch (error) {
    // Another prune that runs beside this one was faster.
    if (failedBy(error, 'missing_object')) return true;
    if (!failedBy(error, 'corrupt_object', 'short_object')) throw error;
    await pool.markRotten(frame.hash, id);
    onTrouble(error.message);
    return false;
  }
  if (writer.isFull) await writer.flush();
  return true;
}

/** Marks of what is gone, or wanted by nobody, or found again. */
async function dropMarks(pool: Pool, needed: ReadonlySet<Hash>, packs: ReadonlySet<Hash>): Promise<void> {
  for (const [place, hashes] of pool.rotten()) {
    if (packs.has(place)) continue;
    for (const hash of hashes)
      if (place !== NOWHERE || !needed.has(hash) || pool.isSound(hash)) await pool.unmarkRotten(hash, place);
  }
}

interface SurveyedPack {
  id: Hash;
  sizeBytes: number;
  storedAtMs: number;
  condemnedAtMs: number | undefined;
  condemnedKey: string | undefined;
  /** The needed objects that have no better place than this pack. */
  live: Frame[];
  liveBytes: number;
}

async function survey(pool: Pool, needed: ReadonlySet<Hash>): Promise<SurveyedPack[]> {
  const condemned = new Map<Hash, { key: string; atMs: number }>();
  for (const name of await pool.store.names(`${pool.prefix}/condemned`)) {
    const key = `${pool.prefix}/condemned/${name}`;
    // Of two condemnations of one pack (two sweeps met, or one died) the later one counts.
    condemned.set(condemnedPack(name), { key, atMs: Number(name.slice(0, name.indexOf('-'))) });
  }
  const packs: SurveyedPack[] = [];
  for (const { key, sizeBytes, storedAtMs } of await pool.store.list(`${pool.prefix}/packs`)) {
    const id = key.slice(key.lastIndexOf('/') + 1);
    const frames = pool.packs().get(id);
    const sentence = condemned.get(id);
    condemned.delete(id);
    // Not readable, or newer than our look at the pool: left alone.
    if (!frames || id.length !== hashOf('').length) continue;
    const live = frames.filter(({ hash }) => needed.has(hash) && pool.locate(hash)?.pack === id);
    const liveBytes = live.reduce((sum, frame) => sum + frame.storedBytes, 0);
    packs.push({
      id,
      sizeBytes,
      storedAtMs,
      condemnedAtMs: sentence?.atMs,
      condemnedKey: sentence?.key,
      live,
      liveBytes,
    });
  }
  // A kill came between the deletion of a pack and that of its condemnation.
  for (const { key } of condemned.values()) await pool.store.delete(key);
  return packs;
}
