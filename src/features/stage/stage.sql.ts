import { sql } from 'kysely';
import type { Db } from '#core/db/database.ts';
import type { SnapshotName } from '#timemachine/process/protocol.ts';

export async function insertStage(db: Db, siteId: string): Promise<void> {
  await sql`insert into site_stages (site_id) values (${siteId})`.execute(db);
}

/** The state of the live site that both sides go on from. It is kept for as long as the stage is. */
export async function setBase(db: Db, stageId: string, { hash, timeMs }: SnapshotName, fqdn: string): Promise<void> {
  await sql`update site_stages set base_hash = ${hash}, base_point = ${new Date(timeMs)}, base_fqdn = ${fqdn}
    where site_id = ${stageId}`.execute(db);
}

export async function findBase(db: Db, stageId: string): Promise<SnapshotName | undefined> {
  const { rows } = await sql<{ base_hash: string; base_point: Date }>`
    select base_hash, base_point from site_stages where site_id = ${stageId} and base_hash is not null`.execute(db);
  return rows[0] && { hash: rows[0].base_hash, timeMs: rows[0].base_point.getTime() };
}

/** The stage as it was when both sides went on. It is kept likewise. */
export async function setStageBase(db: Db, stageId: string, { hash, timeMs }: SnapshotName): Promise<void> {
  await sql`update site_stages set stage_hash = ${hash}, stage_point = ${new Date(timeMs)}, undo_hash = null, undo_point = null
    where site_id = ${stageId}`.execute(db);
}

/** What both sides went on from. */
export interface Bases {
  live: SnapshotName;
  liveFqdn: string;
  stage: SnapshotName;
}

export async function findBases(db: Db, stageId: string): Promise<Bases | undefined> {
  const { rows } = await sql<{
    base_hash: string;
    base_point: Date;
    base_fqdn: string;
    stage_hash: string;
    stage_point: Date;
  }>`select base_hash, base_point, base_fqdn, stage_hash, stage_point from site_stages
    where site_id = ${stageId} and base_fqdn is not null and stage_hash is not null`.execute(db);
  const [row] = rows;
  return (
    row && {
      live: { hash: row.base_hash, timeMs: row.base_point.getTime() },
      liveFqdn: row.base_fqdn,
      stage: { hash: row.stage_hash, timeMs: row.stage_point.getTime() },
    }
  );
}

/** What the live site was just before a commit changes it. */
export async function setUndo(db: Db, stageId: string, { hash, timeMs }: SnapshotName): Promise<void> {
  await sql`update site_stages set undo_hash = ${hash}, undo_point = ${new Date(timeMs)} where site_id = ${stageId}`.execute(
    db,
  );
}

/** A commit begins: what an earlier one left does not count. */
export async function forgetUndo(db: Db, stageId: string): Promise<void> {
  await sql`update site_stages set undo_hash = null, undo_point = null where site_id = ${stageId}`.execute(db);
}

export async function findUndo(db: Db, stageId: string): Promise<SnapshotName | undefined> {
  const { rows } = await sql<{ undo_hash: string; undo_point: Date }>`
    select undo_hash, undo_point from site_stages where site_id = ${stageId} and undo_hash is not null`.execute(db);
  return rows[0] && { hash: rows[0].undo_hash, timeMs: rows[0].undo_point.getTime() };
}
