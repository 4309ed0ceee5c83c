import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LoopMonitor } from './loop-monitor.ts';

const TICK = 500;

/** The verdicts of some ticks, each with what the main thread did meanwhile. */
function watch() {
  const times = { cpuMs: 0, waitMs: 0 };
  const monitor = new LoopMonitor(() => ({ ...times }));
  let beats = 0;
  return (count: number, { cpu = 0, wait = 0, isTurning = false } = {}) =>
    Array.from({ length: count }, () => {
      times.cpuMs += cpu;
      times.waitMs += wait;
      if (isTurning) beats++;
      return monitor.look(beats)?.t;
    }).filter((verdict) => verdict !== undefined);
}

test('a block of more than two seconds is reported once, and its end', () => {
  const tick = watch();
  assert.deepEqual(tick(100, { isTurning: true, cpu: TICK }), []);
  assert.deepEqual(tick(4, { cpu: TICK }), []);
  assert.deepEqual(tick(10, { cpu: TICK }), ['blocked']);
  assert.deepEqual(tick(2, { isTurning: true }), ['ended']);
  assert.deepEqual(tick(3, { cpu: TICK }), []);
});

test('a synchronous wait is a block, and never a reason to replace the process', () => {
  assert.deepEqual(watch()(1_000), ['blocked']);
});

test('a main thread that gets no processor is not blocked', () => {
  assert.deepEqual(watch()(1_000, { wait: TICK }), []);
});

test('the process hangs once it has computed for thirty seconds, however long that takes', () => {
  const idle = watch();
  assert.deepEqual(idle(60, { cpu: TICK }), ['blocked']);
  assert.deepEqual(idle(10, { cpu: TICK }), ['hung']);
  const overloaded = watch();
  assert.deepEqual(overloaded(590, { cpu: 50, wait: 450 }), ['blocked']);
  assert.deepEqual(overloaded(20, { cpu: 50, wait: 450 }), ['hung']);
});

test('suspension of the machine does not count as a block', () => {
  const tick = watch();
  tick(10, { isTurning: true });
  // The watchdog is stopped as well: whatever the clock says, there was one look.
  assert.deepEqual(tick(1), []);
  assert.deepEqual(tick(10, { isTurning: true }), []);
});
