import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { cycleAt, monthAround } from './usage.cycle.ts';

const MINUTE_MS = 60_000;

/** The starts of the cycles that follow one another, as a clock in that zone shows them. */
function startsFrom(anchor: string, timeZone: string, count: number): string[] {
  const starts: string[] = [];
  for (let at = new Date(anchor); starts.length < count; ) {
    const { start, end } = monthAround(at, new Date(anchor), timeZone);
    assert.equal(start.getTime(), at.getTime(), 'a cycle begins where the one before ends');
    starts.push(new Date(start).toLocaleString('sv-SE', { timeZone }).slice(0, 16));
    at = end;
  }
  return starts;
}

suite('months in the time zone of a team', () => {
  test('one that begins on the 31st does not drift to the 28th', () => {
    const starts = startsFrom('2026-01-31T09:30:00Z', 'UTC', 14).map((start) => start.slice(5, 10));
    assert.deepEqual(starts.slice(0, 5), ['01-31', '02-28', '03-31', '04-30', '05-31']);
    assert.deepEqual(starts.slice(12), ['01-31', '02-28']);
  });

  test('the hour of the clock stays through summer time, on both halves of the world', () => {
    for (const timeZone of ['Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Pacific/Chatham']) {
      const hours = startsFrom('2025-12-15T11:15:00Z', timeZone, 26).map((start) => start.slice(8));
      assert.deepEqual(new Set(hours), new Set([hours[0]]), timeZone);
    }
  });

  test('the day is the day there, also where UTC has another', () => {
    // The 31st of January in Auckland, the 30th in UTC.
    const starts = startsFrom('2026-01-30T12:00:00Z', 'Pacific/Auckland', 4).map((start) => start.slice(5, 10));
    assert.deepEqual(starts, ['01-31', '02-28', '03-31', '04-30']);
  });

  test('a moment that the clock skips still begins one cycle, and every moment is in exactly one', () => {
    // Half past two on the 29th of March 2026 does not exist in Berlin.
    const anchor = new Date('2026-01-29T01:30:00Z');
    for (
      let at = anchor.getTime(), last = anchor.getTime();
      at < Date.parse('2026-06-01T00:00:00Z');
      at += 30 * MINUTE_MS
    ) {
      const { start, end } = monthAround(new Date(at), anchor, 'Europe/Berlin');
      assert.ok(start.getTime() <= at && at < end.getTime(), new Date(at).toISOString());
      assert.ok(start.getTime() >= last);
      last = start.getTime();
    }
  });

  test('moments before the anchor have a cycle as well', () => {
    const { start, end } = monthAround(new Date('2026-03-01T00:00:00Z'), new Date('2026-05-10T00:00:00Z'), 'UTC');
    assert.deepEqual(
      [start.toISOString(), end.toISOString()],
      ['2026-02-10T00:00:00.000Z', '2026-03-10T00:00:00.000Z'],
    );
  });
});

suite('the cycle of a team', () => {
  const team = {
    sub_id: 'sub_1',
    interval: 'month',
    period_start: new Date('2026-01-31T23:30:00Z'),
    period_end: new Date('2026-02-28T23:30:00Z'),
    cycle_anchor: new Date('2025-07-04T00:00:00Z'),
    timezone: 'Europe/Berlin',
  };
  const iso = ({ start, end }: { start: Date; end: Date }) => [start.toISOString(), end.toISOString()];

  test('a month that is paid for is the period of the provider', () => {
    assert.deepEqual(iso(cycleAt(new Date('2026-02-10T00:00:00Z'), team)), [
      '2026-01-31T23:30:00.000Z',
      '2026-02-28T23:30:00.000Z',
    ]);
  });

  test("without a subscription the months are the team's own", () => {
    const own = { ...team, sub_id: null, period_start: null, period_end: null, interval: null };
    assert.deepEqual(iso(cycleAt(new Date('2026-02-10T00:00:00Z'), own)), [
      // Two in the morning in July is one in UTC in winter.
      '2026-02-04T01:00:00.000Z',
      '2026-03-04T01:00:00.000Z',
    ]);
  });

  test('a year has twelve months that fill it and no thirteenth', () => {
    for (const timezone of ['UTC', 'Europe/Berlin', 'America/Los_Angeles'])
      for (const begin of ['2026-03-29T00:30:00Z', '2024-02-29T12:00:00Z', '2026-08-31T23:59:59Z']) {
        const period_start = new Date(begin);
        const period_end = new Date(period_start);
        period_end.setUTCFullYear(period_end.getUTCFullYear() + 1);
        if (period_end.getUTCMonth() !== period_start.getUTCMonth()) period_end.setUTCDate(0);
        const year = { ...team, interval: 'year', period_start, period_end, timezone };
        let at = period_start;
        let months = 0;
        while (at < period_end) {
          const { start, end } = cycleAt(at, year);
          assert.equal(start.getTime(), at.getTime(), `${timezone} ${begin}`);
          at = end;
          months++;
        }
        assert.deepEqual([months, at.getTime()], [12, period_end.getTime()], `${timezone} ${begin}`);
        // Until the next year is paid, the last month goes on.
        assert.deepEqual(cycleAt(new Date(period_end.getTime() + 5 * MINUTE_MS), year).end, period_end);
      }
  });
});
