import assert from 'node:assert/strict';
import { test } from 'node:test';
import { barsOf, firstZoom, momentAt, nearest, placeOf, stepTo, ticksOf, viewOf } from './timeline-view.ts';

const hour = 3_600_000;
const noon = new Date(2026, 10, 15, 12).getTime();
const at = (...minutesAgo: number[]) => minutesAgo.map((ago) => ({ atMs: noon - ago * 60_000, files: 1, tables: 2 }));

test('a view ends now, goes around a chosen moment before it, and is as long as it says', () => {
  const middle = ({ startMs, endMs }: { startMs: number; endMs: number }) => (startMs + endMs) / 2;
  const week = noon - 7 * 24 * hour;
  assert.ok(Math.abs(placeOf(noon, viewOf('hour', week, noon)) - 1) < 0.03);
  assert.equal(middle(viewOf('hour', week, noon, noon - 5 * hour)), noon - 5 * hour);
  assert.ok(Math.abs(placeOf(week, viewOf('hour', week, noon, week)) - 0.02) < 0.01);
  for (const oldest of [noon - hour, week]) {
    const { startMs, endMs } = viewOf('day', oldest, noon, oldest);
    assert.ok(Math.abs((endMs - startMs) / (24 * hour) - 1) < 0.05);
    assert.ok(endMs < noon + hour);
  }
  assert.deepEqual([firstZoom(noon - hour, noon), firstZoom(week, noon)], ['hour', 'day']);
});

test('a place is the place of its moment', () => {
  const view = viewOf('day', 0, noon);
  assert.ok(Math.abs(placeOf(momentAt(0.3, view), view) - 0.3) < 1e-9);
});

test('the nearest backup is the nearest, before or after', () => {
  const minutes = at(100, 60, 10);
  assert.equal(nearest([], noon), undefined);
  for (const [ago, expected] of [
    [500, 100],
    [81, 100],
    [79, 60],
    [0, 10],
  ] as const)
    assert.equal(nearest(minutes, noon - ago * 60_000)?.atMs, noon - expected * 60_000);
});

test('keys go to the next backup, by an hour, and to the ends, and always somewhere', () => {
  const minutes = at(300, 130, 90, 61, 60, 0);
  const from = (ago: number) => minutes.find(({ atMs }) => atMs === noon - ago * 60_000);
  const agoAfter = (key: string, ago: number) => (noon - (stepTo(minutes, from(ago), key)?.atMs ?? 0)) / 60_000;
  assert.equal(agoAfter('ArrowLeft', 60), 61);
  assert.equal(agoAfter('ArrowDown', 300), 300);
  assert.equal(agoAfter('ArrowRight', 60), 0);
  assert.equal(agoAfter('ArrowUp', 0), 0);
  assert.equal(agoAfter('Home', 60), 300);
  assert.equal(agoAfter('End', 60), 0);
  assert.equal(stepTo(minutes, undefined, 'Home'), minutes[0]);
  assert.equal(stepTo(minutes, undefined, 'ArrowLeft'), minutes.at(-1));
  assert.equal(agoAfter('PageDown', 0), 60);
  assert.equal(agoAfter('PageDown', 90), 300);
  assert.equal(agoAfter('PageUp', 130), 90);
  assert.equal(agoAfter('PageUp', 300), 130);
  assert.equal(agoAfter('PageUp', 0), 0);
  assert.equal(stepTo(minutes, undefined, 'ArrowLeft'), minutes.at(-1));
  assert.equal(stepTo(minutes, minutes[0], 'a'), undefined);
});

test('bars hold all that is in the view and nothing else', () => {
  const bars = barsOf(at(700, 59, 58.9, 1), viewOf('hour', 0, noon), 60);
  assert.equal(bars.length, 2);
  assert.equal(
    bars.reduce((sum, { files }) => sum + files, 0),
    3,
  );
});

test('ticks are round by the local clock, and there are about as many as wanted', () => {
  for (const zoom of ['hour', 'day', 'week', 'month'] as const) {
    const ticks = ticksOf(viewOf(zoom, noon - 90 * 24 * hour, noon), 6);
    assert.ok(ticks.length >= 3 && ticks.length <= 7, `${zoom}: ${ticks.length}`);
    for (const ms of ticks) assert.equal(new Date(ms).getSeconds(), 0);
  }
  for (const ms of ticksOf(viewOf('week', 0, noon), 6)) assert.equal(new Date(ms).getHours(), 0);
});
