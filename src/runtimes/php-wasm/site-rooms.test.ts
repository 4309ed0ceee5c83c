import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { SiteRooms } from './site-rooms.ts';

const MB = 1024 * 1024;

function process() {
  const { promise: closed, resolve: close } = Promise.withResolvers<void>();
  const told: { left: number; beyond: number }[] = [];
  return {
    told,
    isKilled: false,
    onGrew: (_bytes: number) => {},
    closed,
    close,
    setRoom: (left: number, beyond: number) => void told.push({ left: left / MB, beyond: beyond / MB }),
    kill() {
      this.isKilled = true;
    },
    get last() {
      return told.at(-1);
    },
  };
}

suite('the rooms of sites', () => {
  test('a new process begins where the last one was', async () => {
    const rooms = new SiteRooms(() => {});
    const first = process();
    rooms.join('a', first);
    assert.deepEqual(first.told, [{ left: 64, beyond: 16 }]);
    rooms.set('a', 100 * MB);
    first.onGrew(90 * MB);
    first.close();
    await first.closed;
    const second = process();
    rooms.join('a', second);
    assert.deepEqual(second.told, [{ left: 10, beyond: 16 }]);
    second.onGrew(-30 * MB);
    assert.equal(second.last?.left, 40);
  });

  test('what processes add together counts for each; one that goes on is ended, and who deletes is not', () => {
    const rooms = new SiteRooms(() => {});
    const [one, two, tidy] = [process(), process(), process()];
    for (const each of [one, two, tidy]) rooms.join('a', each);
    rooms.set('a', 40 * MB);
    one.onGrew(32 * MB);
    assert.equal(two.last?.left, 8);
    two.onGrew(16 * MB);
    assert.deepEqual([one.isKilled, two.isKilled], [false, false]);
    assert.deepEqual(tidy.last, { left: -8, beyond: 8 });
    two.onGrew(16 * MB);
    assert.deepEqual([one.isKilled, two.isKilled], [false, true]);
    tidy.onGrew(-1 * MB);
    assert.equal(tidy.isKilled, false);
    rooms.set('a', -23 * MB);
    assert.equal(tidy.last?.beyond, 0, 'measuring alone gives no more');
    rooms.set('a', MB);
    assert.deepEqual(tidy.last, { left: 1, beyond: 16 });
  });

  test('a site that is far over its plan can still be signed in to', () => {
    const rooms = new SiteRooms(() => {});
    const worker = process();
    rooms.join('a', worker);
    rooms.set('a', -3000 * MB);
    worker.onGrew(4 * MB);
    assert.equal(worker.isKilled, false);
    assert.deepEqual(worker.last, { left: -3004, beyond: 12 });
  });
});
