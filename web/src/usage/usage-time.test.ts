import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findVisitBy, type Visit } from '../visit.ts';
import { formatStep } from './usage-time.ts';

test('what writes the hours of a plot is made once for all of them', (t) => {
  const clock = { locale: 'en-US', timeZone: 'UTC' };
  findVisitBy(() => ({ clock }) as Visit);
  const make = t.mock.method(Intl, 'DateTimeFormat');
  const hours = Array.from({ length: 24 }, (_, hour) => new Date(Date.UTC(2026, 0, 1, hour)).toISOString());
  assert.equal(formatStep(hours[13] as string, 'hour', 'short'), '1 PM');
  const before = make.mock.callCount();
  for (const iso of hours) formatStep(iso, 'hour', 'short');
  assert.equal(make.mock.callCount(), before);
});
