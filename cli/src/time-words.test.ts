import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { readTime } from './time-words.ts';

/** A Tuesday: 15:30 in UTC, 16:30 in Berlin, 10:30 in New York. */
const NOW = new Date('2026-11-17T15:30:00Z');
const UNDERSTOOD: [words: string, zone: string, moment: string][] = [
  ['now', 'UTC', '2026-11-17T15:30:00.000Z'],
  ['10 minutes ago', 'UTC', '2026-11-17T15:20:00.000Z'],
  ['10 min ago', 'Asia/Tokyo', '2026-11-17T15:20:00.000Z'],
  ['10m ago', 'UTC', '2026-11-17T15:20:00.000Z'],
  ['an hour ago', 'UTC', '2026-11-17T14:30:00.000Z'],
  ['2h ago', 'UTC', '2026-11-17T13:30:00.000Z'],
  ['1 day ago', 'UTC', '2026-11-16T15:30:00.000Z'],
  ['3 weeks ago', 'UTC', '2026-10-27T15:30:00.000Z'],
  ['today 14:05', 'Europe/Berlin', '2026-11-17T13:05:00.000Z'],
  ['yesterday 14:05', 'Europe/Berlin', '2026-11-16T13:05:00.000Z'],
  ['Yesterday at 2pm', 'Europe/Berlin', '2026-11-16T13:00:00.000Z'],
  ['yesterday', 'America/New_York', '2026-11-16T05:00:00.000Z'],
  ['yesterday 12am', 'UTC', '2026-11-16T00:00:00.000Z'],
  ['yesterday noon', 'UTC', '2026-11-16T12:00:00.000Z'],
  ['14:05', 'Europe/Berlin', '2026-11-17T13:05:00.000Z'],
  ['17:00', 'Europe/Berlin', '2026-11-16T16:00:00.000Z'],
  ['monday 9am', 'UTC', '2026-11-16T09:00:00.000Z'],
  ['last mon 9:30', 'UTC', '2026-11-16T09:30:00.000Z'],
  ['tuesday 09:00', 'UTC', '2026-11-17T09:00:00.000Z'],
  ['tuesday 16:00', 'UTC', '2026-11-10T16:00:00.000Z'],
  ['2026-11-17 14:05', 'Europe/Berlin', '2026-11-17T13:05:00.000Z'],
  ['2026-11-17 14:05:30', 'Asia/Kolkata', '2026-11-17T08:35:30.000Z'],
  ['2026-11-17T14:05', 'Europe/Berlin', '2026-11-17T13:05:00.000Z'],
  ['2026-07-01 14:05', 'Europe/Berlin', '2026-07-01T12:05:00.000Z'],
  ['2026-11-17', 'Europe/Berlin', '2026-11-16T23:00:00.000Z'],
  ['2026-11-17T14:05:00Z', 'Europe/Berlin', '2026-11-17T14:05:00.000Z'],
  ['2026-11-17T14:05:00.123+01:00', 'UTC', '2026-11-17T13:05:00.123Z'],
  // The clocks of Berlin show 2:30 twice on 25 October, and never on 29 March.
  ['2026-10-25 02:30', 'Europe/Berlin', '2026-10-25T00:30:00.000Z'],
  ['2026-03-29 02:30', 'Europe/Berlin', '2026-03-29T01:30:00.000Z'],
];
const NOT_UNDERSTOOD = [
  '',
  'soon',
  '25:00',
  '14:60',
  '14',
  '2026-02-30',
  '2026-13-01 10:00',
  '13pm',
  'ago',
  '5 ago',
  'yesterday x',
];

suite('a time in words', () => {
  for (const [words, zone, moment] of UNDERSTOOD)
    test(`“${words}” in ${zone} is ${moment}`, () => assert.equal(readTime(words, zone, NOW).toISOString(), moment));

  test('that says nothing is refused with examples', () => {
    for (const words of NOT_UNDERSTOOD)
      assert.throws(() => readTime(words, 'UTC', NOW), /is no time that I understand/, JSON.stringify(words));
  });
});
