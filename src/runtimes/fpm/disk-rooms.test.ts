import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '../../../test/expect.ts';
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

/** Counts are two seconds apart at least. */
function moveableClock(t: import('node:test').TestContext): { move(): void } {
  let now = performance.now();
  t.mock.method(performance, 'now', () => now);
  return { move: () => (now += 60_000) };
}

function counting(rooms: DiskRooms, told: { counts: number }, clock: { move(): void }): () => Promise<void> {
  return async () => {
    clock.move();
    rooms.look('site');
    // Everything here resolves by itself, within a turn of the event loop.
    await new Promise((resolve) => setImmediate(resolve));
    assert.ok(told.counts > 0);
  };
}
