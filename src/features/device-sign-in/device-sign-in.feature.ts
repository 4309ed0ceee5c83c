import { feature } from '../feature.ts';
import { deviceSignInOperations } from './device-sign-in.routes.ts';
import { deleteOldSignIns } from './device-sign-in.sql.ts';

export const deviceSignInFeature = feature({
  name: 'device-sign-in',
  operations: deviceSignInOperations,
  housekeeping: deleteOldSignIns,
});
