import { figures } from '#core/figures.ts';
import { feature } from '../feature.ts';
import { archiveOperations } from './archive.routes.ts';
import { pruneBackups } from './backup.jobs.ts';
import { backupOperations } from './backup.routes.ts';
import { backupFigures } from './backup-clock.sql.ts';
import { blobOperations } from './blob.routes.ts';

export const backupFeature = feature({
  name: 'backup',
  operations: [...backupOperations, ...archiveOperations, ...blobOperations],
  dueTimes: [
    'backup_clocks.due_at',
    'backup_clocks.cut_at',
    'backup_clocks.touched_at',
    'backup_clocks.not_before',
    'backup_spending.at',
  ],
  jobs: [pruneBackups],
  figures: [
    figures({
      metrics: {
        backups_due: { help: 'Sites whose backup is due', type: 'gauge' },
        backups_overdue_seconds: { help: 'How long the backup that waits longest has been due', type: 'gauge' },
        backups_failing: { help: 'Sites whose last backup failed', type: 'gauge' },
      },
      read: ({ db }) => backupFigures(db),
    }),
  ],
});
