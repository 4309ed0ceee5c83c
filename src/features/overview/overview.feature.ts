import { feature } from '../feature.ts';
import { overviewOperations } from './overview.routes.ts';
import { forgetOldReadings } from './overview.sql.ts';

export const overviewFeature = feature({
  name: 'overview',
  operations: overviewOperations,
  housekeeping: forgetOldReadings,
});
