import { feature } from '../feature.ts';
import { restoreToPoint } from './pit-restore.jobs.ts';
import { pitRestoreOperations } from './pit-restore.routes.ts';
import { forgetOldRestores } from './pit-restore.sql.ts';
import { rehearseRestore } from './rehearsal.jobs.ts';

export const pitRestoreFeature = feature({
  name: 'pit-restore',
  operations: pitRestoreOperations,
  jobs: [restoreToPoint, rehearseRestore],
  housekeeping: forgetOldRestores,
});
