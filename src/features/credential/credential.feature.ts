import { feature } from '../feature.ts';
import { deleteOldCodes } from './authorization-code.sql.ts';
import { credentialOperations } from './credential.routes.ts';
import { deleteExpiredCredentials } from './credential.sql.ts';
import { mailGuesses } from './second-step.jobs.ts';
import { sessionOperations } from './session.routes.ts';

export const credentialFeature = feature({
  name: 'credential',
  operations: [...credentialOperations, ...sessionOperations],
  jobs: [mailGuesses],
  housekeeping: async (db) => {
    await deleteExpiredCredentials(db);
    await deleteOldCodes(db);
  },
});
