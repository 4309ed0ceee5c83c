import { EVERY_ROLE } from '#core/part.ts';
import { feature } from '../feature.ts';
import { deleteSilentProcesses } from './hold.sql.ts';
import { holdRecords } from './hold-records.ts';
import { watchHolds } from './watch-holds.ts';

const FORGOTTEN_SECONDS = 24 * 3600;

/** Every role has to know what is held; those that have a host let go of it. */
export const holdFeature = feature({
  name: 'hold',
  dueTimes: ['platform_processes.seen_at'],
  // Whoever waits for an answer finds out about the others.
  housekeeping: (db) => deleteSilentProcesses(db, FORGOTTEN_SECONDS),
  parts: [
    {
      name: 'the watch over held sites',
      stage: 'fences',
      roles: EVERY_ROLE,
      start: (services) => watchHolds(services, holdRecords(services)),
    },
  ],
});
