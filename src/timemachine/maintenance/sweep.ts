import { type Hash, hashOf } from '../hash.ts';
import { type Frame, openFrame } from '../pack.ts';
import { condemnedPack, PACK_BYTES, type Pool } from '../pool.ts';

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

/**
 * Frees what no snapshot needs, and joins small packs. Runs beside writers: a pack is only ever condemned at first, which
 * keeps writers from building on it, and deleted in a later sweep, after the grace period and after asking again whether
 * anything in it is needed. Objects that are still needed are copied to a new pack before. A kill at any point leaves
 * objects stored twice at worst.
 */
export async function sweep(
  pool: Pool,
  needed: ReadonlySet<Hash>,
  options: { nowMs?: number; graceMs?: number } = {},
): Promise<SweepReport> {
  const { nowMs = Date.now(), graceMs = GRACE_MS } = options;
  const report: SweepReport = { packsCondemned: 0, packsDeleted: 0, packsWritten: 0, bytesDeleted: 0 };
  await pool.refresh();
  const packs = await survey(pool, needed);
  const old = packs.filter((pack) => nowMs - pack.storedAtMs >= graceMs);
  const due = packs.filter(({ condemnedAtMs }) => condemnedAtMs !== undefined && nowMs - condemnedAtMs >= graceMs);
  const active = old.filter(({ condemnedAtMs }) => condemnedAtMs === undefined);
  const small = active.filter(({ sizeBytes, live }) => sizeBytes < SMALL_BYTES && live.length > 0);
  const toJoin = small.length >= SMALL_COUNT ? small : [];
  const wasteful = active.filter((pack) => pack.liveBytes < pack.sizeBytes * WORTH_KEEPING);
  const toEmpty = [...new Set([...toJoin, ...wasteful])];

  const writer = pool.writer();
  for (const pack of [...due, ...toEmpty]) {
    for (const frame of pack.live) {
      const stored = await pool.readFrames(pack.id, frame.offset, frame.storedBytes);
      // Damage is not carried into a new pack under a fresh checksum: this fails and the old pack stays.
      openFrame(frame, stored);
      writer.addStored(frame, stored);
      if (writer.isFull) await writer.flush();
    }
  }
  await writer.flush();
  report.packsWritten = writer.packsWritten;
  for (const { id } of toEmpty) {
    await pool.store.put(`${pool.prefix}/condemned/${nowMs}-${id}`, []);
    report.packsCondemned++;
  }
  for (const pack of due) {
    await pool.store.delete(pool.packKey(pack.id));
    await pool.store.delete(pack.condemnedKey as string);
    report.packsDeleted++;
    report.bytesDeleted += pack.sizeBytes;
  }
  await pool.refresh();
  return report;
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
