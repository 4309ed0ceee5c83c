import { inTransaction } from '#core/db/database.ts';
import { reportProgress } from '#core/events/events.ts';
import type { Services } from '#core/services.ts';
import { databaseTime, keptAs } from '#features/backup/backup.ts';
import { recordCut } from '#features/backup-clock/backup-clock.ts';
import { type HeldWork, onHeldSite } from '#features/hold/hold.ts';
import type { SiteRow } from '#features/instance/instance.ts';
import { againIfOutdated } from '#timemachine/failure.ts';
import type { SnapshotName } from '#timemachine/process/protocol.ts';

/** Visitors have waited since before the change, so what is taken back is the change alone, with what its pages did to the database. */
export async function takeBack(services: Services, work: HeldWork, site: SiteRow, undo: SnapshotName): Promise<void> {
  const { db, hosts } = services;
  const wish = { point: undo, files: true, tables: true, deleteExtraFiles: true };
  await reportProgress(db, work.eventId, { step: 'taking it back' });
  await onHeldSite(services, work, (signal) =>
    againIfOutdated(async () => {
      const begunAt = await databaseTime(db);
      await hosts.restore(site, await keptAs(services, site), wish, {
        signal,
        onPlanned: async ({ now }) => {
          if (now) await inTransaction(db, (tx) => recordCut(tx, site, now, begunAt));
        },
      });
    }),
  );
}
