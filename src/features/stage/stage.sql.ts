import { sql } from 'kysely';
import type { Db } from '#core/db/database.ts';
import type { SnapshotName } from '#timemachine/process/protocol.ts';

export async function insertStage(db: Db, siteId: string): Promise<void> {
  await sql`insert into site_stages (site_id) values (${siteId})`.execute(db);
}

/** The state of the live site that both sides go on from. It is kept for as long as the stage is. */
export async function setBase(db: Db, siteId: string, { hash, timeMs }: SnapshotName): Promise<void> {
  await sql`update site_stages set base_hash = ${hash}, base_point = ${new Date(timeMs)} where site_id = ${siteId}`.execute(
    db,
  );
}

export async function findBase(db: Db, siteId: string): Promise<SnapshotName | undefined> {
  const { rows } = await sql<{ base_hash: string; base_point: Date }>`
    select base_hash, base_point from site_stages where site_id = ${siteId} and base_hash is not null`.execute(db);
  return rows[0] && { hash: rows[0].base_hash, timeMs: rows[0].base_point.getTime() };
}
