import { feature } from '../feature.ts';
import { eventOperations } from './event.routes.ts';
import { forgetOldEvents, placeRestoredEvents } from './event.sql.ts';

export const eventFeature = feature({
  name: 'event',
  operations: eventOperations,
  housekeeping: forgetOldEvents,
  prepare: placeRestoredEvents,
});
