import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '#testkit/expect.ts';
import { DiskRooms } from './disk-rooms.ts';

const MB = 1024 * 1024;

interface Disk {
  used: number | Error;
  held: number;
}

function openRooms(disk: Disk) {
  const told = { grew: [] as number[], ended: 0, counts: 0 };
  const rooms = new DiskRooms({
    usageBytes: async () => {
      told.counts++;
      if (disk.used instanceof Error) throw disk.used;
      return disk.used;
    },
    heldBytes: async () => disk.held,
    grew: (_siteId, bytes) => void told.grew.push(bytes),
    end: () => void told.ended++,
  });
  return { rooms, told };
}

test('a site that holds files without names is ended like one that writes files', async (t) => {
  const clock = moveableClock(t);
  const disk = { used: 10 * MB, held: 0 };
  const { rooms, told } = openRooms(disk);
  const count = counting(rooms, told, clock);
  rooms.join('site');
  rooms.set('site', 20 * MB);
  await count();
  disk.held = 30 * MB;
  await count();
  assert.equal(told.ended, 0, 'a little beyond is let be');
  disk.held = 40 * MB;
  await count();
  assert.equal(told.ended, 1);
  assert.deepEqual(told.grew, [0], 'what has no name is not measured, and is gone with the process');
});

test('what can not be counted once changes nothing, and again and again it is the end', async (t) => {
  const clock = moveableClock(t);
  const disk: Disk = { used: 10 * MB, held: 0 };
  const { rooms, told } = openRooms(disk);
  const count = counting(rooms, told, clock);
  rooms.join('site');
  rooms.set('site', 20 * MB);
  await count();
  disk.used = new Error('hidden');
  await count();
  await count();
  assert.equal(told.ended, 0);
  disk.used = 60 * MB;
  await count();
  assert.deepEqual([told.ended, told.grew], [1, [0, 50 * MB]], 'what grew meanwhile counts');
  disk.used = new Error('hidden');
  for (let times = 0; times < 3; times++) await count();
  assert.equal(told.ended, 2);
});

test('a command has the room of its site, asleep or awake, and leaves it as it was', async () => {
  const { rooms, told } = openRooms({ used: 1, held: 0 });
  await rooms.during('site', async () => eventually(async () => told.counts === 1));
  assert.deepEqual(told.grew, [0]);
  rooms.join('site');
  await rooms.during('site', async () => {});
  rooms.look('site');
  await eventually(async () => told.counts === 2);
  assert.deepEqual(told.grew, [0, 0]);
});

test('a site that no disk could fill meanwhile is counted less often, and as often as ever when it has less room', async (t) => {
  const clock = moveableClock(t);
  const { rooms, told } = openRooms({ used: 10 * MB, held: 0 });
  const count = counting(rooms, told, clock);
  rooms.join('site');
  rooms.set('site', 100 * 1024 * MB);
  await count(60_000);
  await count(5_000);
  assert.equal(told.counts, 1);
  await count(1_001);
  assert.equal(told.counts, 2);
  rooms.set('site', 1024 * MB);
  await count(2_001);
  assert.equal(told.counts, 3);
});

/** Counts are two seconds apart at least. */
function moveableClock(t: import('node:test').TestContext): { move(ms?: number): void } {
  let now = performance.now();
  t.mock.method(performance, 'now', () => now);
  return { move: (ms = 60_000) => (now += ms) };
}

function counting(
  rooms: DiskRooms,
  told: { counts: number },
  clock: { move(ms?: number): void },
): (ms?: number) => Promise<void> {
  return async (ms) => {
    clock.move(ms);
    rooms.look('site');
    // Everything here resolves by itself, within a turn of the event loop.
    await new Promise((resolve) => setImmediate(resolve));
    assert.ok(told.counts > 0);
  };
}
