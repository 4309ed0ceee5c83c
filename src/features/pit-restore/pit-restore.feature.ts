import { feature } from '../feature.ts';
import { restoreToPoint } from './pit-restore.jobs.ts';
import { pitRestoreOperations } from './pit-restore.routes.ts';
import { forgetOldRestores } from './pit-restore.sql.ts';
import { rehearseRestore } from './rehearsal.jobs.ts';
import { restoreLostSites } from './restore-lost.ts';

export const pitRestoreFeature = feature({
  name: 'pit-restore',
  operations: pitRestoreOperations,
  jobs: [restoreToPoint, rehearseRestore],
  parts: [{ name: 'the restore of what a volume lost', stage: 'work', roles: ['host'], start: restoreLostSites }],
  housekeeping: forgetOldRestores,
});
