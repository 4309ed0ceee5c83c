import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Random } from '#testkit/random.ts';
import { snapshotsToForget } from './retention.ts';

const HOUR_MS = 3600_000;
const DAY_MS = 24 * HOUR_MS;

function randomSnapshots(random: Random, nowMs: number) {
  const ids: { timeMs: number; hash: string; key: string }[] = [];
  let timeMs = nowMs - random.below(60) * DAY_MS;
  for (let index = 0; timeMs < nowMs; index++) {
    ids.push({ timeMs, hash: `${index}`, key: `${index}` });
    timeMs += 60_000 + random.below(random.pick([HOUR_MS / 4, 5 * HOUR_MS, 3 * DAY_MS]));
  }
  return ids;
}

test('every minute of the window stays what it was, and each day of four windows before it keeps one', () => {
  const random = new Random(7);
  const nowMs = Date.parse('2026-11-15T12:00:00Z');
  for (let round = 0; round < 60; round++) {
    const ids = randomSnapshots(random, nowMs);
    const windowMs = random.pick([DAY_MS, 7 * DAY_MS]);
    const gone = new Set(snapshotsToForget(ids, windowMs, nowMs));
    const kept = ids.filter((id) => !gone.has(id));
    const at = (list: typeof ids, timeMs: number) => list.findLast((id) => id.timeMs <= timeMs);
    for (let timeMs = nowMs - windowMs; timeMs <= nowMs; timeMs += HOUR_MS / 3) {
      assert.equal(at(kept, timeMs), at(ids, timeMs));
    }
    assert.equal(kept.at(-1), ids.at(-1));
    const dayOf = ({ timeMs }: { timeMs: number }) => Math.floor(timeMs / DAY_MS);
    const old = ids.filter(({ timeMs }) => timeMs < nowMs - windowMs && timeMs >= nowMs - 5 * windowMs);
    const wholeDays = [...new Set(old.map(dayOf))].filter((day) => day * DAY_MS >= nowMs - 5 * windowMs);
    const lastOld = dayOf({ timeMs: nowMs - windowMs });
    for (const day of wholeDays) {
      const count = kept.filter((id) => dayOf(id) === day && id.timeMs < nowMs - windowMs).length;
      if (day !== lastOld) assert.equal(count, 1, `day ${day}`);
    }
    const ancient = kept.filter(({ timeMs }) => timeMs < nowMs - 5 * windowMs);
    assert.ok(ancient.every((id) => id === at(ids, nowMs - windowMs) || id === ids.at(-1)));
  }
});

test('a damaged one is kept in place of none, and goes after the window; where all are damaged they count', () => {
  const random = new Random(8);
  const nowMs = Date.parse('2026-11-15T12:00:00Z');
  const windowMs = 7 * DAY_MS;
  for (let round = 0; round < 30; round++) {
    const ids = randomSnapshots(random, nowMs);
    const damaged = new Set(ids.filter(() => random.below(3) === 0));
    const sound = ids.filter((id) => !damaged.has(id));
    const gone = new Set(snapshotsToForget(ids, windowMs, nowMs, (id) => damaged.has(id as (typeof ids)[0])));
    const wouldGo = new Set(snapshotsToForget(sound, windowMs, nowMs));
    for (const id of ids) {
      const isOld = id.timeMs < nowMs - windowMs;
      if (sound.length > 0) assert.equal(gone.has(id), damaged.has(id) ? isOld : wouldGo.has(id));
    }
    const all = snapshotsToForget(ids, windowMs, nowMs, () => true);
    assert.deepEqual(all, snapshotsToForget(ids, windowMs, nowMs));
  }
});
