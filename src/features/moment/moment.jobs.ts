import { jobKind } from '#core/jobs/jobs.ts';
import { findMoments } from './moment.find.ts';

/** What one run may take; what is left comes a minute later. */
const RUN_MS = 40_000;

export const tellMoments = jobKind<Record<string, never>>({
  name: 'moment.tell',
  lane: 'background',
  schedule: '* * * * *',
  run: (_payload, { services, signal }) => findMoments(services, Date.now() + RUN_MS, { signal }),
});
