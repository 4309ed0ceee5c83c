import type { SnapshotId } from '../snapshot.ts';

const DAY_MS = 24 * 3600_000;
/** After the window, one a day stays for so many times the window. */
const DAILY_FACTOR = 4;

/**
 * The snapshots that retention no longer asks for: every one within the window stays, before it the last one of each day
 * for four times as long. The newest always stays, and so does the one that stands for the window's first minute.
 * `ids` are oldest first.
 *
 * One that can not be restored stands for nothing, and goes when it is past the window. Where no other is left all count:
 * the damage may be in how they were read.
 */
export function snapshotsToForget(
  ids: readonly SnapshotId[],
  windowMs: number,
  nowMs: number,
  isDamaged: (id: SnapshotId) => boolean = () => false,
): SnapshotId[] {
  const sound = ids.filter((id) => !isDamaged(id));
  if (sound.length === 0) return thinned(ids, windowMs, nowMs);
  const damaged = ids.filter((id) => isDamaged(id) && id.timeMs < nowMs - windowMs);
  return [...thinned(sound, windowMs, nowMs), ...damaged];
}

function thinned(ids: readonly SnapshotId[], windowMs: number, nowMs: number): SnapshotId[] {
  const windowStartMs = nowMs - windowMs;
  const dailyStartMs = windowStartMs - DAILY_FACTOR * windowMs;
  const standsForStart = ids.findLast(({ timeMs }) => timeMs <= windowStartMs);
  return ids.filter((id, index) => {
    const next = ids[index + 1];
    if (id.timeMs >= windowStartMs || id === standsForStart || !next) return false;
    const isLastOfDay = Math.floor(next.timeMs / DAY_MS) !== Math.floor(id.timeMs / DAY_MS);
    return !(isLastOfDay && id.timeMs >= dailyStartMs);
  });
}
