import { type Insertable, type Selectable, sql } from 'kysely';
import type { Db } from '#core/db/database.ts';
import type { DB } from '#core/db/schema.generated.ts';

/** A site as it was, to be looked at for a while. */
export type PreviewRow = Selectable<DB['site_previews']>;

export async function insertPreview(db: Db, row: Insertable<DB['site_previews']>): Promise<PreviewRow> {
  return db.insertInto('site_previews').values(row).returningAll().executeTakeFirstOrThrow();
}

export async function findPreview(db: Db, id: string): Promise<PreviewRow | undefined> {
  return (await sql<PreviewRow>`select * from site_previews where id = ${id}`.execute(db)).rows[0];
}

export async function countPreviews(db: Db, siteId: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*)::int as count from site_previews
    where site_id = ${siteId} and expires_at > now()`.execute(db);
  return rows[0]?.count ?? 0;
}

export async function markReady(db: Db, id: string, coreVersion: string): Promise<void> {
  await sql`update site_previews set ready_at = now(), core_version = ${coreVersion} where id = ${id}`.execute(db);
}

export async function deletePreview(db: Db, id: string): Promise<void> {
  await sql`delete from site_previews where id = ${id}`.execute(db);
}

export async function listEndedPreviews(db: Db): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`select id from site_previews where expires_at <= now()`.execute(db);
  return rows.map(({ id }) => id);
}

export async function listReadyPreviews(db: Db, id?: string): Promise<PreviewRow[]> {
  const { rows } = await sql<PreviewRow>`select * from site_previews
    where ready_at is not null and ${id === undefined ? sql`true` : sql`id = ${id}`}`.execute(db);
  return rows;
}
