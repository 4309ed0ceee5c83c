import { sql } from 'kysely';
import type { Db } from '#core/db/database.ts';
import type { NewRegion, Region, RegionChange } from './region.schema.ts';

const COLUMNS = ['id', 'name', 'city', 'country', 'country_code', 'cname', 'ip', 'name_servers', 'created_at'] as const;

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

/** Deletes unless it is the last one; locks the table's rows so that two deletions do not each spare the other. */
export async function deleteRegion(db: Db, id: number): Promise<boolean> {
  const { rows } = await sql<{ id: number }>`select id from regions for update`.execute(db);
  if (rows.length <= 1) return false;
  await db.deleteFrom('regions').where('id', '=', id).execute();
  return true;
}
