import { feature } from '../feature.ts';
import { BackupClock, listenToTouches, touchRecords } from './backup-clock.ts';

export const backupClockFeature = feature({
  name: 'backup-clock',
  parts: [
    {
      name: 'which sites ran something',
      stage: 'sites',
      roles: ['host'],
      start: (services) => listenToTouches(services, touchRecords(services)),
    },
    {
      name: 'the backup clock',
      stage: 'work',
      roles: ['worker'],
      async start(services) {
        const clock = new BackupClock(services);
        clock.start();
        return () => clock.close();
      },
    },
  ],
});
