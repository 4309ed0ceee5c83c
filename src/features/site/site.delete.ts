import type { Caller } from '#core/auth/caller.ts';
import type { Db } from '#core/db/database.ts';
import type { Call } from '#core/http/operation.ts';
import { stopClock } from '#features/backup/backup.ts';
import { addStorage, lockTeam, teamsById } from '#features/team/team.ts';
import { usersById } from '#features/user/user.ts';
import { archiveSite, restoreSite } from './deleted-site.jobs.ts';
import { type DeletedSiteRow, lockDeletedSite, moveFromDeleted, moveToDeleted } from './deleted-site.sql.ts';
import { lockNamedSite, recordSiteEvent, requireIdle } from './site.events.ts';
import { type DeletedSite, deletedSiteNotFound, nameTaken, type Site } from './site.schema.ts';
import { releaseName, type SiteRow } from './site.sql.ts';
import { completeSite } from './site.view.ts';

/** The site is gone and its name is free with this transaction; a job puts what is left of it aside. */
export async function deleteSite(call: Call, named: SiteRow): Promise<void> {
  const { db, services, caller } = call;
  await lockTeam(db, named.team_id);
  const site = await lockNamedSite(db, named);
  requireIdle(site);
  const eventId = await recordSiteEvent(db, caller, site, {
    event_type: 'site.deleted',
    activity: `${caller.fullName} deleted ${site.fqdn}`,
    unfinished: true,
  });
  await releaseName(db, site.fqdn, site.id, site.team_id);
  await stopClock(db, site.id);
  await moveToDeleted(db, site, { deletedBy: caller.userId, eventId });
  await addStorage(db, site.team_id, -site.storage_bytes);
  await services.jobs.enqueue(db, archiveSite, { siteId: site.id, eventId }, site.id);
  call.headers['operation-id'] = eventId;
}

/** Brings a deleted site back under its name, if nobody took that meanwhile. The plan's limits do not bind operators. */
export async function restoreDeletedSite(call: Call, siteId: string): Promise<Site> {
  const { db, services, caller } = call;
  const deleted = await lockDeletedSite(db, siteId);
  if (!deleted) throw deletedSiteNotFound();
  const eventId = await recordSiteEvent(db, caller, deleted, {
    event_type: 'site.restored',
    activity: `The platform brought ${deleted.fqdn} back`,
    unfinished: true,
  });
  await addStorage(db, deleted.team_id, deleted.storage_bytes);
  const row = await moveFromDeleted(db, siteId, { busy: 'restoring', eventId });
  if (!row) throw nameTaken();
  await services.jobs.enqueue(db, restoreSite, { siteId, eventId }, siteId);
  call.headers['operation-id'] = eventId;
  return completeSite(db, services, caller, row);
}

export async function completeDeletedSites(db: Db, caller: Caller, rows: DeletedSiteRow[]): Promise<DeletedSite[]> {
  const teams = await teamsById(
    db,
    caller,
    rows.map((row) => row.team_id),
  );
  const people = await usersById(
    db,
    rows.flatMap((row) => row.deleted_by ?? []),
  );
  return rows.map((row) => ({
    ...row,
    team_name: teams.get(row.team_id)?.name ?? '',
    deleted_by: row.deleted_by === null ? null : (people.get(row.deleted_by) ?? null),
  }));
}
