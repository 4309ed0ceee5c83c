import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createTestDatabase } from '#testkit/app/test-app.ts';
import { type Database, openDatabase } from './database.ts';
import { LockBusy, Locks } from './locks.ts';

let database: Awaited<ReturnType<typeof createTestDatabase>>;
let processes: Database[];
before(async () => {
  database = await createTestDatabase({ empty: true });
  processes = [1, 2].map(() => openDatabase(database.url, 3, () => {}));
});
after(async () => {
  for (const process of processes) await process.close();
  await database.drop();
});

/** What the work gives, or undefined where the lock is somebody else's. */
const attempt = (locks: Locks, name: string, work: () => Promise<unknown>) =>
  locks.alone(name, 0, work).catch((error) => {
    if (!(error instanceof LockBusy)) throw error;
  });
const locksOf = (number: number) => new Locks((processes[number] as Database).pool);

test('only one has a lock at a time, in one process and in two; others are free', async () => {
  const [first, second] = [locksOf(0), locksOf(1)];
  const tries = await first.alone('a', 0, async () => [
    await attempt(first, 'a', async () => 'again'),
    await attempt(second, 'a', async () => 'elsewhere'),
    await attempt(second, 'b', async () => 'another'),
  ]);
  assert.deepEqual(tries, [undefined, undefined, 'another']);
  assert.equal(await second.alone('a', 0, async () => 'free again'), 'free again');
  await Promise.all([first.close(), second.close()]);
});

test('whoever waits gets it when it is free, also after work that failed', async () => {
  const [first, second] = [locksOf(0), locksOf(1)];
  const begun = Promise.withResolvers<void>();
  const end = Promise.withResolvers<void>();
  const held = first.alone('a', 0, async () => {
    begun.resolve();
    await end.promise;
    throw new Error('it failed');
  });
  // Whoever asks first gets it, and asking takes a moment.
  await begun.promise;
  const waiting = second.alone('a', 30_000, async () => 'got it');
  setTimeout(end.resolve, 200);
  await assert.rejects(held, /it failed/);
  assert.equal(await waiting, 'got it');
  await Promise.all([first.close(), second.close()]);
});

test('a process that dies lets go of everything at once', async () => {
  const [first, second] = [locksOf(0), locksOf(1)];
  const begun = Promise.withResolvers<void>();
  const forever = first.alone('a', 0, () => {
    begun.resolve();
    return new Promise(() => {});
  });
  void forever.catch(() => {});
  await begun.promise;
  assert.equal(await attempt(second, 'a', async () => 'free'), undefined);
  await first.close();
  assert.equal(await second.alone('a', 30_000, async () => 'free'), 'free');
  await second.close();
});
