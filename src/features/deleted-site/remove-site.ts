import type { Caller } from '#core/auth/caller.ts';
import type { Db } from '#core/db/database.ts';
import type { Services } from '#core/services.ts';
import { stopClock } from '#features/backup/backup.ts';
import { hold } from '#features/hold/hold.ts';
import { findStage, recordSiteEvent, type SiteRow } from '#features/instance/instance.ts';
import { endStage } from '#features/stage/stage.ts';
import { addStorage } from '#features/team/team.ts';
import { archiveSite } from './deleted-site.jobs.ts';
import { moveToDeleted } from './deleted-site.sql.ts';

export type Remover = Pick<Caller, 'userId' | 'fullName'>;

/**
 * Takes a site away that is idle, and locked with its team: it is gone and its name is free with this transaction; a job
 * puts what is left of it aside. Returns the event of that.
 */
export async function removeSite(db: Db, services: Services, by: Remover, site: SiteRow): Promise<string> {
  const eventId = await recordSiteEvent(db, by, site, {
    event_type: 'site.deleted',
    activity: `${by.fullName} deleted ${site.fqdn}`,
    unfinished: true,
  });
  const stage = await findStage(db, site.id);
  if (stage) await endStage(db, services, stage);
  await stopClock(db, site.id);
  await hold(db, [site.id], 'archiving', eventId);
  await moveToDeleted(db, site, { deletedBy: by.userId, eventId });
  await addStorage(db, site.team_id, -site.storage_bytes);
  await services.jobs.enqueue(db, archiveSite, { siteId: site.id, eventId }, site.id);
  return eventId;
}
