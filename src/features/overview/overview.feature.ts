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
          help: 'Age of the last backup of the platform; before the first backup, time since monitoring began',
          type: 'gauge',
        },
      },
      read: async ({ db }) => ({ platform_backup_age_seconds: (await platformBackup(db)).age_seconds }),
    }),
  ],
});
