import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { Caller } from '#core/auth/caller.ts';
import { movableClock } from '#testkit/movable-clock.ts';
import { countedAddress, RateLimits, takeForCaller } from './rate-limits.ts';

test('a client can discover 10 registered addresses an hour, counted per IPv6 /48', (t) => {
  const clock = movableClock(t);
  const limits = new RateLimits(1);
  const tell = (ip: string) => limits.take('takenAddress', countedAddress('takenAddress', ip));
  for (let time = 0; time < 10; time++) {
    assert.equal(tell(`2001:db8:1:${time}::1`).exceeded, false);
    clock.tick(61_000);
  }
  const { exceeded, resetSeconds } = tell('2001:db8:1:ff::1');
  assert.ok(exceeded);
  assert.ok(resetSeconds > 2_900 && resetSeconds <= 3_600, String(resetSeconds));
  assert.equal(tell('2001:db8:2::1').exceeded, false);
  clock.tick(resetSeconds * 1000);
  assert.equal(tell('2001:db8:1::1').exceeded, false);
});

suite('calls of a person', () => {
  const callerWith = (id: string, userId = 'ada', viewedBy?: string) =>
    ({ userId, viewedBy, credential: { id } }) as unknown as Caller;
  /** How many of these calls are let through. */
  const allowed = (limits: RateLimits, caller: Caller, calls: number, name: 'read' | 'write' = 'write') =>
    Array.from({ length: calls }, () => takeForCaller(limits, name, caller)).filter(({ exceeded }) => !exceeded).length;

  test('are 1,200 reads and 300 writes for a credential, and four times as many for all of them together', () => {
    for (const [name, limit] of [
      ['read', 1200],
      ['write', 300],
    ] as const) {
      const limits = new RateLimits(1);
      for (const id of ['a', 'b', 'c']) assert.equal(allowed(limits, callerWith(id), limit + 5, name), limit);
      for (let id = 0; id < 50; id++) allowed(limits, callerWith(`token ${id}`), limit / 50, name);
      assert.equal(allowed(limits, callerWith('d'), 1, name), 0);
      assert.equal(allowed(limits, callerWith('e', 'bob'), 1, name), 1);
    }
  });

  test('over the limit of a credential do not count for the person, so one runaway script does not lock them out', () => {
    const limits = new RateLimits(1);
    allowed(limits, callerWith('wild'), 100_000);
    assert.equal(allowed(limits, callerWith('browser'), 300), 300);
  });

  test('report the limit with fewer calls remaining', () => {
    const limits = new RateLimits(0.01);
    const take = (id: string) => {
      const { limit, remaining, exceeded } = takeForCaller(limits, 'write', callerWith(id));
      return [limit, remaining, exceeded];
    };
    assert.deepEqual(take('a'), [3, 2, false]);
    for (const id of ['a', 'a', 'b', 'b', 'b', 'c', 'c', 'c', 'd']) take(id);
    assert.deepEqual(take('e'), [12, 1, false]);
    assert.deepEqual(take('e'), [12, 0, false]);
    assert.deepEqual(take('e'), [12, 0, true]);
  });

  test('are those of the operator where an operator views an account', () => {
    const limits = new RateLimits(0.01);
    for (let view = 0; view < 20; view++) takeForCaller(limits, 'write', callerWith(`view ${view}`, 'ada', 'operator'));
    assert.equal(allowed(limits, callerWith('own'), 1), 1);
    assert.equal(allowed(limits, callerWith('other view', 'bob', 'operator'), 1), 0);
  });

  test('are not limited with a factor of 0', () => {
    assert.equal(allowed(new RateLimits(0), callerWith('a'), 10_000), 10_000);
  });
});
