import { sql } from 'kysely';
import type { Db } from '#core/db/database.ts';
import type { NewRegion, Region, RegionChange } from './region.schema.ts';

const COLUMNS = [
  'id',
  'name',
  'city',
  'country',
  'country_code',
  'cname',
  'ip',
  'name_servers',
  'cluster',
  'created_at',
] as const;

export async function listRegions(db: Db): Promise<Region[]> {
  return db.selectFrom('regions').select(COLUMNS).orderBy('id').execute();
}

export async function findRegion(db: Db, id: number): Promise<Region | undefined> {
  return db.selectFrom('regions').select(COLUMNS).where('id', '=', id).executeTakeFirst();
}

/** Undefined when the name is taken. */
export async function insertRegion(db: Db, region: NewRegion): Promise<Region | undefined> {
  return db
    .insertInto('regions')
    .values(region)
    .onConflict((conflict) => conflict.column('name').doNothing())
    .returning(COLUMNS)
    .executeTakeFirst();
}

export async function nameIsTaken(db: Db, name: string, exceptId: number): Promise<boolean> {
  const row = await db
    .selectFrom('regions')
    .select('id')
    .where('name', '=', name)
    .where('id', '<>', exceptId)
    .executeTakeFirst();
  return row !== undefined;
}

export async function updateRegion(db: Db, id: number, change: RegionChange): Promise<void> {
  await db.updateTable('regions').set(change).where('id', '=', id).execute();
}

/** Keeps a region from being deleted until the transaction ends; false when it is gone already. */
export async function holdRegion(db: Db, id: number): Promise<boolean> {
  return (await sql`select from regions where id = ${id} for key share`.execute(db)).rows.length > 0;
}

/** Locks all regions in one order, so that two deletions do not each spare the other; tells how many there are. */
export async function lockRegions(db: Db): Promise<number> {
  return (await sql`select from regions order by id for update`.execute(db)).rows.length;
}

/** Asked under that lock: a site that comes in holds its region. */
export async function hostsSites(db: Db, id: number): Promise<boolean> {
  return (await sql`select from sites where region_id = ${id} limit 1`.execute(db)).rows.length > 0;
}

export async function deleteRegion(db: Db, id: number): Promise<void> {
  await db.deleteFrom('regions').where('id', '=', id).execute();
}
