import { sql } from 'kysely';
import type { Db } from '#core/db/database.ts';
import type { SnapshotName } from '#timemachine/process/protocol.ts';

export async function insertStage(db: Db, siteId: string, gitBranch: string | null): Promise<void> {
  await sql`insert into site_stages (site_id, git_branch) values (${siteId}, ${gitBranch})`.execute(db);
}

/** The state of the live site that both sides go on from. It is kept for as long as the stage is. */
export async function setBase(db: Db, siteId: string, { hash, timeMs }: SnapshotName): Promise<void> {
  await sql`update site_stages set base_hash = ${hash}, base_point = ${new Date(timeMs)} where site_id = ${siteId}`.execute(
    db,
  );
}
