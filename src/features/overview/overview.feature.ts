import { figures } from '#core/figures.ts';
import { feature } from '../feature.ts';
import { overviewOperations } from './overview.routes.ts';
import { forgetOldReadings, platformBackup } from './overview.sql.ts';

export const overviewFeature = feature({
  name: 'overview',
  operations: overviewOperations,
  housekeeping: forgetOldReadings,
  figures: [
    figures({
      metrics: {
        platform_backup_age_seconds: {
          help: 'How long ago the platform itself was last backed up; where it never was, since when that is watched',
          type: 'gauge',
        },
      },
      read: async ({ db }) => ({ platform_backup_age_seconds: (await platformBackup(db)).age_seconds }),
    }),
  ],
});
