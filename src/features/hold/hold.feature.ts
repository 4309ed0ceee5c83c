import { EVERY_ROLE } from '#core/part.ts';
import { feature } from '../feature.ts';
import { watchHolds } from './watch-holds.ts';

/** Every role runs sites: the edge for visitors, the worker for scheduled work, the api for whom it passes requests on. */
export const holdFeature = feature({
  name: 'hold',
  parts: [
    {
      name: 'the watch over held sites',
      stage: 'fences',
      roles: EVERY_ROLE,
      start: watchHolds,
    },
  ],
});
