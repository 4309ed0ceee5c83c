import { feature } from '../feature.ts';
import { deleteOldCodes } from './authorization-code.sql.ts';
import { credentialOperations } from './credential.routes.ts';
import { deleteExpiredCredentials } from './credential.sql.ts';

export const credentialFeature = feature({
  name: 'credential',
  operations: credentialOperations,
  housekeeping: async (db) => {
    await deleteExpiredCredentials(db);
    await deleteOldCodes(db);
  },
});
