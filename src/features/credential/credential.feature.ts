import { feature } from '../feature.ts';
import { credentialOperations } from './credential.routes.ts';
import { deleteExpiredCredentials } from './credential.sql.ts';

export const credentialFeature = feature({
  name: 'credential',
  operations: credentialOperations,
  housekeeping: deleteExpiredCredentials,
});
