import { type RawBuilder, sql } from 'kysely';
import type { Db } from '#core/db/database.ts';
import { CLOCK_IS_DOUBTED } from '#core/db/doubted-clock.ts';
import { isHostAwake } from '#features/hold/hold.ts';
import type { Place, SiteRef } from '#host/site-host.ts';

/** Neither there nor kept for an operator. */
const isUnknown = (id: RawBuilder<unknown>) => sql`not exists (select from sites where sites.id = ${id})
  and not exists (select from deleted_sites where deleted_sites.id = ${id})`;

/** Ends the copies that are past their time. With a copy's row goes all that leads to it, and its files are due to be removed. */
export async function endExpiredCopies(db: Db): Promise<void> {
  await sql`delete from sites where id in (
    select id from sites where expires_at <= now() for update skip locked)`.execute(db);
}

/** Of what is kept on disk, notes what no table knows, to be removed tomorrow if that is still so. Returns what is new. */
export async function noteUnknownFiles(db: Db, { host, driver }: Place, keptIds: string[]): Promise<string[]> {
  const unknown = sql`select id from unnest(${keptIds}::uuid[]) as kept (id) where ${isUnknown(sql`kept.id`)}`;
  await sql`delete from sites_to_remove
    where host = ${host} and driver = ${driver} and due_at > now() and site_id not in (${unknown})`.execute(db);
  const { rows } = await sql<{ site_id: string }>`
    insert into sites_to_remove (site_id, host, driver, due_at) select id, ${host}, ${driver}, now() + interval '24 hours' from (${unknown}) as found (id)
    on conflict do nothing returning site_id`.execute(db);
  return rows.map(({ site_id }) => site_id);
}

export interface FilesToRemove extends Place {
  site_id: string;
  due_at: Date;
}

/** None while it is not known whether their time has come. */
export async function listFilesToRemove(db: Db): Promise<FilesToRemove[]> {
  const { rows } = await sql<FilesToRemove>`
    select site_id, host, driver, due_at from sites_to_remove
    where due_at <= now() and ${isUnknown(sql`site_id`)} and not ${CLOCK_IS_DOUBTED}`.execute(db);
  return rows;
}

/** For files that may have been written after their instance was gone. */
export async function removeFilesSoon(db: Db, { id, host, driver }: SiteRef): Promise<void> {
  await sql`insert into sites_to_remove (site_id, host, driver, due_at) values (${id}, ${host}, ${driver}, now())
    on conflict (site_id) do update set due_at = excluded.due_at`.execute(db);
}

/** They stay noted where somebody noted them again meanwhile. */
export async function noteRemoved(db: Db, { site_id, due_at }: FilesToRemove): Promise<void> {
  await sql`delete from sites_to_remove where site_id = ${site_id} and due_at = ${due_at}`.execute(db);
}

/** Wherever there are sites, deleted ones included; nobody is woken to be asked what else is there. */
export async function listPlaces(db: Db): Promise<Place[]> {
  const { rows } = await sql<Place>`
    select * from (select host, driver from sites union select host, driver from deleted_sites) places
    where ${isHostAwake('places.host')}`.execute(db);
  return rows;
}
