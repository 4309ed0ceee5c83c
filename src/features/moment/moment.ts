import { invalid } from '#core/errors.ts';
import type { Call } from '#core/http/operation.ts';
import type { Services } from '#core/services.ts';
import { chooseBackup, LATEST, listBackups, snapshotNameOf, viewpointOf } from '#features/backup/backup.ts';
import { lockNamedSite, recordSiteEvent, type SiteRow } from '#features/instance/instance.ts';
import type { PlanName } from '#features/plan/plan.ts';
import { lockWorkingTeam } from '#features/team/team.ts';
import { tellRules } from '#runtimes/wordpress/tell-rules.ts';
import {
  type NewRestorePoint,
  notTold,
  pointTaken,
  type RestorePoint,
  type SiteHappenings,
  tooManyPoints,
} from './moment.schema.ts';
import { countPoints, deletePoint, insertPoint, type RestorePointRow } from './moment.sql.ts';
import { wordsOfChanges } from './moment.words.ts';

export { findMoments } from './moment.find.ts';

/** What became of a site between two kept minutes, for somebody who waits for the answer. */
export async function happenedBetween(
  services: Services,
  site: SiteRow,
  point: { restore_point: string; until?: string | undefined },
): Promise<SiteHappenings> {
  const { db, hosts, log } = services;
  const found = await chooseBackup(db, site, point.restore_point);
  if ('fault' in found) throw invalid({ ...found.fault, loc: ['query', 'restore_point'] });
  const [last] = await listBackups(db, site.id, point.until === undefined ? LATEST : new Date(point.until), 1);
  const [from, until] = [found.backup, last ?? found.backup];
  const answer = (happened: SiteHappenings['happened']): SiteHappenings => ({
    from: from.created_at,
    until: until.created_at,
    from_hash: from.commit_hash,
    until_hash: until.commit_hash,
    happened,
  });
  if (until.commit_hash === from.commit_hash) return answer([]);
  const pair = [snapshotNameOf(from), snapshotNameOf(until)] as const;
  try {
    const [changes] = await hosts.tell(site, await viewpointOf(db, site), [pair], tellRules(site.db_prefix), false);
    if (changes) return answer(wordsOfChanges(changes, site.db_prefix).slice(0, LISTED));
  } catch (error) {
    log.warn({ err: error, siteId: site.id }, 'it could not be told what happened to a site');
  }
  throw notTold();
}

const LISTED = 200;

/** So many minutes of a site have a name at most: each is kept as a whole for as long as it has one. */
const NAMED_POINTS: Record<PlanName, number> = { free: 2, micro: 5, starter: 15, business: 30 };

/** Gives a minute a name, by which it is kept. */
export async function createRestorePoint(call: Call, named: SiteRow, input: NewRestorePoint): Promise<RestorePoint> {
  const { db, caller } = call;
  const team = await lockWorkingTeam(db, named.team_id);
  const site = await lockNamedSite(db, named);
  const found = await chooseBackup(db, site, input.restore_point);
  if ('fault' in found) throw invalid(found.fault);
  if ((await countPoints(db, site.id)) >= NAMED_POINTS[team.plan_type_name]) throw tooManyPoints();
  const { id: backup_id, commit_hash, created_at: restore_point } = found.backup;
  const { name } = input;
  const point = await insertPoint(db, {
    backup_id,
    commit_hash,
    restore_point,
    name,
    site_id: site.id,
    user_id: caller.userId,
  });
  if (!point) throw pointTaken();
  await recordSiteEvent(db, caller, site, {
    event_type: 'restore.point_named',
    activity: `${caller.fullName} named a restore point of ${site.fqdn}: ${name}`,
    item_id: point.id,
  });
  return viewOf(point);
}

/** The minute loses its name, and is kept for as long as any other. */
export async function deleteRestorePoint(call: Call, site: SiteRow, point: RestorePointRow): Promise<void> {
  const { db, caller } = call;
  await deletePoint(db, point.id);
  await recordSiteEvent(db, caller, site, {
    event_type: 'restore.point_removed',
    activity: `${caller.fullName} removed the restore point ${point.name} of ${site.fqdn}`,
    item_id: point.id,
  });
}

export function viewOf({ id, name, restore_point, commit_hash, created_at }: RestorePointRow): RestorePoint {
  return { id, name, restore_point, commit_hash, created_at };
}
