import { figures } from '#core/figures.ts';
import { jobKind } from '#core/jobs/jobs.ts';
import { feature } from '../feature.ts';
import { mailDamage } from './backup-check.mail.ts';
import { checkFigures } from './backup-check.sql.ts';
import { checkTurns } from './backup-check.ts';

const checkBackups = jobKind<Record<string, never>>({
  name: 'backup.check',
  lane: 'background',
  schedule: '*/10 * * * *',
  run: (_payload, { services }) => checkTurns(services),
});

export const backupCheckFeature = feature({
  name: 'backup-check',
  jobs: [checkBackups, mailDamage],
  figures: [
    figures({
      metrics: {
        backups_damaged: { help: 'Restore points that can not be restored', type: 'gauge' },
        backup_check_faults: { help: 'What the last check of the backups found, and this one so far', type: 'gauge' },
        backup_check_age_seconds: { help: 'How long ago the check began that was begun first', type: 'gauge' },
        backup_prune_troubles: { help: 'What the last prune could not read', type: 'gauge' },
      },
      read: ({ db }) => checkFigures(db),
    }),
  ],
});
