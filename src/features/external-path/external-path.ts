import type { Caller } from '#core/auth/caller.ts';
import type { Db } from '#core/db/database.ts';
import { recordEvent } from '#core/events/events.ts';
import {
  type ExternalPath,
  externalPathExists,
  externalPathNotFound,
  type NewExternalPath,
  tooManyExternalPaths,
} from './external-path.schema.ts';
import {
  countExternalPaths,
  type ExternalPathRow,
  insertExternalPath,
  listPathsOfSites,
  pathIsTaken,
  deleteExternalPath as remove,
  updateExternalPath as write,
} from './external-path.sql.ts';

/**
 * What a path needs to know of its site, which in turn shows its paths. Whoever changes one has locked the site, so that
 * two at once take neither the same path nor the last place.
 */
interface PathSite {
  id: string;
  team_id: string;
  fqdn: string;
}

/** The edge looks through all of a site's paths for each request. */
const MAX_PATHS = 50;

/** The external paths of a page of sites. */
export async function pathsOfSites(db: Db, siteIds: string[]): Promise<Map<string, ExternalPath[]>> {
  if (siteIds.length === 0) return new Map();
  return Map.groupBy(await listPathsOfSites(db, siteIds), (row: ExternalPathRow) => row.site_id);
}

export async function createExternalPath(
  db: Db,
  caller: Caller,
  site: PathSite,
  input: NewExternalPath,
): Promise<ExternalPath> {
  if ((await countExternalPaths(db, site.id)) >= MAX_PATHS) throw tooManyExternalPaths();
  const row = await insertExternalPath(db, site.id, input);
  if (!row) throw externalPathExists();
  await recordPathEvent(db, caller, site, row, 'created', `sent ${row.path} to ${row.external_name}`);
  return row;
}

export async function updateExternalPath(
  db: Db,
  caller: Caller,
  site: PathSite,
  id: string,
  input: NewExternalPath,
): Promise<ExternalPath> {
  if (await pathIsTaken(db, site.id, input.path, id)) throw externalPathExists();
  const row = await write(db, id, input);
  if (!row) throw externalPathNotFound();
  await recordPathEvent(db, caller, site, row, 'updated', `sent ${row.path} to ${row.external_name}`);
  return row;
}

export async function deleteExternalPath(db: Db, caller: Caller, site: PathSite, path: ExternalPath): Promise<void> {
  if (!(await remove(db, path.id))) throw externalPathNotFound();
  await recordDeletion(db, caller, site, path);
}

/** All of a site's. */
export async function deleteExternalPaths(db: Db, caller: Caller, site: PathSite): Promise<void> {
  for (const path of await listPathsOfSites(db, [site.id]))
    if (await remove(db, path.id)) await recordDeletion(db, caller, site, path);
}

const recordDeletion = (db: Db, caller: Caller, site: PathSite, path: ExternalPath) =>
  recordPathEvent(db, caller, site, path, 'deleted', `gave ${path.path} back to WordPress`);

async function recordPathEvent(
  db: Db,
  caller: Caller,
  site: PathSite,
  row: ExternalPath,
  what: 'created' | 'updated' | 'deleted',
  did: string,
): Promise<void> {
  await recordEvent(db, {
    scope: 'site',
    event_type: `external_path.${what}`,
    activity: `${caller.fullName} ${did} on ${site.fqdn}`,
    by: caller,
    team_id: site.team_id,
    site_live_id: site.id,
    fqdn: site.fqdn,
    item_id: row.id,
    detail: { path: row.path, external_name: row.external_name },
  });
}
