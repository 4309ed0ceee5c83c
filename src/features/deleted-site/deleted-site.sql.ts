import { sql } from 'kysely';
import type { Db } from '#core/db/database.ts';
import { type Listing, listNewest, type Paging } from '#core/pages.ts';
import { deleteUsage, type SiteRow } from '#features/instance/instance.ts';
import { claimName, releaseNames } from '#features/site-name/site-name.ts';

export interface DeletedSiteRow {
  id: string;
  team_id: string;
  fqdn: string;
  host: string;
  driver: string;
  storage_bytes: number;
  deleted_by: string | null;
  deleted_event_id: string;
  deleted_at: Date;
  purge_after: Date;
  is_purging: boolean;
}

const COLUMNS = sql`id, team_id, fqdn, host, driver, storage_bytes, deleted_by, deleted_event_id, deleted_at, purge_after, is_purging`;

export interface Deletion {
  deletedBy: string | null;
  eventId: string;
}

/** Takes the site out of every list and lookup at once, and keeps all that is needed to bring it back. */
export async function moveToDeleted(db: Db, site: SiteRow, { deletedBy, eventId }: Deletion): Promise<void> {
  await sql`
    insert into deleted_sites (id, team_id, fqdn, host, driver, site, external_paths, names, storage_bytes, deleted_by, deleted_event_id)
    select id, team_id, fqdn, host, driver, to_jsonb(sites) || '{"busy": null, "busy_event_id": null, "is_sleeping": true}',
      coalesce((select jsonb_agg(to_jsonb(p)) from external_paths p where p.site_id = sites.id), '[]'),
      coalesce((select jsonb_agg(to_jsonb(n)) from site_names n where n.site_id = sites.id and n.fqdn <> sites.fqdn), '[]'),
      storage_bytes, ${deletedBy}, ${eventId} from sites where id = ${site.id}`.execute(db);
  await releaseNames(db, site.id, site.team_id);
  await sql`delete from sites where id = ${site.id}`.execute(db);
}

/** All the sites of a team, kept from changing with their stages, in the order in which everybody locks them. */
export async function lockTeamSites(db: Db, teamId: string): Promise<SiteRow[]> {
  const { rows } = await sql<SiteRow>`
    select * from sites where team_id = ${teamId} and kind <> 'preview' order by id for no key update`.execute(db);
  return rows.filter(({ kind }) => kind === 'live');
}

/**
 * The way back; undefined when another site has the name by now. The region may be gone too, and then the site comes
 * back in the first one.
 */
export async function moveFromDeleted(db: Db, id: string): Promise<SiteRow | undefined> {
  const { rows } = await sql<SiteRow>`
    insert into sites select (jsonb_populate_record(null::sites, site || jsonb_build_object('region_id',
      (select id from regions order by id = (site->>'region_id')::int desc, id limit 1)))).*
    from deleted_sites where id = ${id} on conflict (fqdn) do nothing returning *`.execute(db);
  const site = rows[0];
  if (!site || !(await claimName(db, site.fqdn, site.id))) return undefined;
  await sql`insert into external_paths
    select (jsonb_populate_recordset(null::external_paths, external_paths)).* from deleted_sites where id = ${id}`.execute(
    db,
  );
  // Those that nobody else has taken meanwhile.
  await sql`insert into site_names (fqdn, site_id, created_at, mode)
    select n.fqdn, n.site_id, n.created_at, n.mode from deleted_sites d, jsonb_populate_recordset(null::site_names, d.names) n
    where d.id = ${id} on conflict (fqdn) do nothing`.execute(db);
  await sql`delete from deleted_sites where id = ${id}`.execute(db);
  return site;
}

export async function findDeletedSite(db: Db, id: string): Promise<DeletedSiteRow | undefined> {
  return (await sql<DeletedSiteRow>`select ${COLUMNS} from deleted_sites where id = ${id}`.execute(db)).rows[0];
}

export async function lockDeletedSite(db: Db, id: string): Promise<DeletedSiteRow | undefined> {
  const { rows } = await sql<DeletedSiteRow>`
    select ${COLUMNS} from deleted_sites where id = ${id} and not is_purging for update`.execute(db);
  return rows[0];
}

export async function listDeletedSites(db: Db, paging: Paging): Promise<Listing<DeletedSiteRow>> {
  const where = sql`not is_purging`;
  return listNewest<DeletedSiteRow>(
    db,
    { table: 'deleted_sites', where, columns: COLUMNS, orderBy: 'deleted_at' },
    paging,
  );
}

/** Marks what is past its time, so that nobody brings it back while it is being removed. */
export async function takeSitesToPurge(db: Db, limit: number): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    update deleted_sites set is_purging = true where id in (
      select id from deleted_sites where purge_after <= now() order by purge_after limit ${limit} for update skip locked)
    returning id`.execute(db);
  return rows.map(({ id }) => id);
}

/** The last of a site: only its events stay. */
export async function forgetDeletedSite(db: Db, id: string): Promise<void> {
  await deleteUsage(db, id);
  await sql`delete from deleted_sites where id = ${id} and is_purging`.execute(db);
}
