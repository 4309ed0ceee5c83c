import { sql } from 'kysely';
import type { Db } from '#core/db/database.ts';
import { type Listing, listNewest, type Paging } from '#core/pages.ts';
import type { ExternalPath, NewExternalPath } from './external-path.schema.ts';

export type ExternalPathRow = ExternalPath & { site_id: string };

const COLUMNS = sql`id, site_id, path, external_name, created_at`;

/** Undefined when the site has one at this path. */
export async function insertExternalPath(
  db: Db,
  siteId: string,
  { path, external_name }: NewExternalPath,
): Promise<ExternalPathRow | undefined> {
  const { rows } = await sql<ExternalPathRow>`
    insert into external_paths (site_id, path, external_name) values (${siteId}, ${path}, ${external_name})
    on conflict (site_id, path) do nothing returning ${COLUMNS}`.execute(db);
  return rows[0];
}

export async function countExternalPaths(db: Db, siteId: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from external_paths where site_id = ${siteId}`.execute(db);
  return rows[0]?.count ?? 0;
}

export async function listExternalPaths(db: Db, siteId: string, paging: Paging): Promise<Listing<ExternalPathRow>> {
  const where = sql`site_id = ${siteId}`;
  return listNewest<ExternalPathRow>(db, { table: 'external_paths', where, columns: COLUMNS }, paging);
}

/** The paths of a page of sites, in one query. */
export async function listPathsOfSites(db: Db, siteIds: string[]): Promise<ExternalPathRow[]> {
  const { rows } = await sql<ExternalPathRow>`
    select ${COLUMNS} from external_paths where site_id = any(${siteIds}::uuid[]) order by created_at desc, id desc`.execute(
    db,
  );
  return rows;
}

export async function findExternalPath(db: Db, siteId: string, id: string): Promise<ExternalPathRow | undefined> {
  const { rows } = await sql<ExternalPathRow>`
    select ${COLUMNS} from external_paths where id = ${id} and site_id = ${siteId}`.execute(db);
  return rows[0];
}

export async function pathIsTaken(db: Db, siteId: string, path: string, exceptId: string): Promise<boolean> {
  const { rows } = await sql`
    select from external_paths where site_id = ${siteId} and path = ${path} and id <> ${exceptId}`.execute(db);
  return rows.length > 0;
}

export async function updateExternalPath(
  db: Db,
  id: string,
  { path, external_name }: NewExternalPath,
): Promise<ExternalPathRow | undefined> {
  const { rows } = await sql<ExternalPathRow>`
    update external_paths set path = ${path}, external_name = ${external_name} where id = ${id}
    returning ${COLUMNS}`.execute(db);
  return rows[0];
}

/** False when somebody else just did. */
export async function deleteExternalPath(db: Db, id: string): Promise<boolean> {
  const { rows } = await sql`delete from external_paths where id = ${id} returning id`.execute(db);
  return rows.length > 0;
}
