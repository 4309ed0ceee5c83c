import type { Caller } from '#core/auth/caller.ts';
import type { Db } from '#core/db/database.ts';
import type { Call } from '#core/http/operation.ts';
import type { Services } from '#core/services.ts';
import { deleteExternalPaths } from '#features/external-path/external-path.ts';
import { hold, requireIdle } from '#features/hold/hold.ts';
import { findSiteById, lockNamedSite, recordSiteEvent, type SiteRow } from '#features/instance/instance.ts';
import type { Site } from '#features/site/site.schema.ts';
import { completeSite } from '#features/site/site.ts';
import { nameTaken } from '#features/site-name/site-name.schema.ts';
import { addStorage, lockTeam, teamsById } from '#features/team/team.ts';
import { usersById } from '#features/user/user.ts';
import { restoreSite } from './deleted-site.jobs.ts';
import { type DeletedSite, deletedSiteNotFound } from './deleted-site.schema.ts';
import { type DeletedSiteRow, lockDeletedSite, lockTeamSites, moveFromDeleted } from './deleted-site.sql.ts';
import { removeBusySite } from './remove-site.jobs.ts';
import { removeSite } from './remove-site.ts';

/**
 * Deleting a site, and what becomes of it: it is gone at once for everybody but an operator, who can bring it back for seven
 * days. Then it is purged.
 */
export async function deleteSite(call: Call, named: SiteRow): Promise<void> {
  const { db, services, caller } = call;
  await lockTeam(db, named.team_id);
  const site = await lockNamedSite(db, named);
  requireIdle(site);
  call.headers['operation-id'] = await removeSite(db, services, caller, site);
}

/**
 * All the sites of a team, and first the paths of theirs that lead elsewhere, which an operator who brings a site back does
 * not bring back with it. One that is busy goes when its work has ended: nobody can keep a site by keeping it busy.
 */
export async function deleteTeamSites(db: Db, services: Services, caller: Caller, teamId: string): Promise<void> {
  await lockTeam(db, teamId);
  const by = { userId: caller.userId, fullName: caller.fullName };
  for (const site of await lockTeamSites(db, teamId)) {
    await deleteExternalPaths(db, caller, site);
    if (site.busy === null) await removeSite(db, services, by, site);
    else await services.jobs.enqueue(db, removeBusySite, { siteId: site.id, by }, site.id);
  }
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
  if (!(await moveFromDeleted(db, siteId))) throw nameTaken();
  await hold(db, [siteId], 'returning', eventId);
  await services.jobs.enqueue(db, restoreSite, { siteId, eventId }, siteId);
  call.headers['operation-id'] = eventId;
  return completeSite(db, services, caller, (await findSiteById(db, siteId)) as SiteRow);
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
