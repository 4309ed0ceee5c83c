import { sql } from 'kysely';
import type { Db } from '#core/db/database.ts';
import type { SnapshotName } from '#timemachine/process/protocol.ts';

export async function insertStage(db: Db, siteId: string): Promise<void> {
  await sql`insert into site_stages (site_id) values (${siteId})`.execute(db);
}

/** The backup of the live site that a stage is to be made from. */
export async function setOrigin(db: Db, stageId: string, { hash, timeMs }: SnapshotName): Promise<void> {
  await sql`update site_stages set base_hash = ${hash}, base_point = ${new Date(timeMs)} where site_id = ${stageId}`.execute(
    db,
  );
}

export async function findOrigin(db: Db, stageId: string): Promise<SnapshotName | undefined> {
  const { rows } = await sql<{ base_hash: string; base_point: Date }>`
    select base_hash, base_point from site_stages where site_id = ${stageId} and base_hash is not null`.execute(db);
  return rows[0] && { hash: rows[0].base_hash, timeMs: rows[0].base_point.getTime() };
}

/** What both sides went on from. The snapshots are kept for as long as that is known. */
export interface Bases {
  live: SnapshotName;
  liveFqdn: string;
  stage: SnapshotName;
}

export async function findBases(db: Db, stageId: string): Promise<Bases | undefined> {
  const { rows } = await sql<{
    live_hash: string;
    live_point: Date;
    live_fqdn: string;
    stage_hash: string;
    stage_point: Date;
  }>`select live_hash, live_point, live_fqdn, stage_hash, stage_point from stage_bases
    where stage_id = ${stageId} order by id desc limit 1`.execute(db);
  const [row] = rows;
  return (
    row && {
      live: { hash: row.live_hash, timeMs: row.live_point.getTime() },
      liveFqdn: row.live_fqdn,
      stage: { hash: row.stage_hash, timeMs: row.stage_point.getTime() },
    }
  );
}

/** So many commits can be undone one after the other, and each time what the stage has is brought again. */
const KEPT_BASES = 10;

export async function addBases(db: Db, stageId: string, { live, liveFqdn, stage }: Bases): Promise<void> {
  await sql`insert into stage_bases (stage_id, live_hash, live_point, live_fqdn, stage_hash, stage_point)
    values (${stageId}, ${live.hash}, ${new Date(live.timeMs)}, ${liveFqdn}, ${stage.hash}, ${new Date(stage.timeMs)})`.execute(
    db,
  );
  await sql`delete from stage_bases where stage_id = ${stageId} and id not in (
    select id from stage_bases where stage_id = ${stageId} order by id desc limit ${KEPT_BASES})`.execute(db);
}

/** The stage is being made anew. */
export async function forgetBases(db: Db, stageId: string): Promise<void> {
  await sql`delete from stage_bases where stage_id = ${stageId}`.execute(db);
}

/** What the live site was just before a commit changes it. */
export async function setUndo(db: Db, stageId: string, undo: SnapshotName | null): Promise<void> {
  const [hash, point] = undo ? [undo.hash, new Date(undo.timeMs)] : [null, null];
  await sql`update site_stages set undo_hash = ${hash}, undo_point = ${point} where site_id = ${stageId}`.execute(db);
}

export async function findUndo(db: Db, stageId: string): Promise<SnapshotName | undefined> {
  const { rows } = await sql<{ undo_hash: string; undo_point: Date }>`
    select undo_hash, undo_point from site_stages where site_id = ${stageId} and undo_hash is not null`.execute(db);
  return rows[0] && { hash: rows[0].undo_hash, timeMs: rows[0].undo_point.getTime() };
}
