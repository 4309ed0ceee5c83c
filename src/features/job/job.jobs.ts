import { type JobKind, jobKind } from '#core/jobs/jobs.ts';
import type { Feature } from '../feature.ts';

/** Removes what nobody can use any more, of every feature. */
export function housekeepingOf(features: readonly Feature[]): JobKind {
  return jobKind({
    name: 'housekeeping',
    lane: 'background',
    schedule: '17 * * * *',
    removesByAge: true,
    async run(_payload, { services: { db } }) {
      for (const { housekeeping } of features) await housekeeping?.(db);
    },
  });
}
