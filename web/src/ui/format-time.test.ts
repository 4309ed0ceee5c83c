import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findVisitBy, type Visit } from '../visit.ts';
import { formatDate, formatMoment, formatUtc, splitAtInstants } from './format-time.ts';

const ISO = '2026-11-19T14:36:46.934Z';

test('a time has one format by the clock of the reader, and one in UTC for everyone', () => {
  const read = (timeZone: string) => {
    const clock = { locale: 'en-US', timeZone };
    findVisitBy(() => ({ clock }) as Visit);
    // Before AM and PM stands a narrow space.
    return [formatMoment(ISO), formatDate(ISO), formatUtc(ISO)].map((text) => text.replaceAll('\u202f', ' '));
  };
  const utc = '2026-11-19 14:36:46 UTC';
  assert.deepEqual(read('UTC'), ['Nov 19, 2026, 2:36:46 PM', 'Nov 19, 2026', utc]);
  assert.deepEqual(read('Asia/Tokyo'), ['Nov 19, 2026, 11:36:46 PM', 'Nov 19, 2026', utc]);
  assert.deepEqual(read('Pacific/Auckland'), ['Nov 20, 2026, 3:36:46 AM', 'Nov 20, 2026', utc]);
});

test('the instants in a sentence of the API are found, and nothing of it is lost', () => {
  assert.deepEqual(splitAtInstants(`Ada restored a.localhost to ${ISO}`), [
    'Ada restored a.localhost to ',
    { iso: ISO },
  ]);
  assert.deepEqual(splitAtInstants(`from ${ISO} to 2026-11-20T00:00:00Z, damaged`), [
    'from ',
    { iso: ISO },
    ' to ',
    { iso: '2026-11-20T00:00:00Z' },
    ', damaged',
  ]);
  assert.deepEqual(splitAtInstants('on 2026-11-19'), ['on 2026-11-19']);
  assert.deepEqual(splitAtInstants(''), []);
});
