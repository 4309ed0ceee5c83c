import type { Db } from '#core/db/database.ts';

export async function siteIsInTeam(db: Db, siteId: string, teamId: string): Promise<boolean> {
  const row = await db
    .selectFrom('sites')
    .select('id')
    .where('id', '=', siteId)
    .where('team_id', '=', teamId)
    .executeTakeFirst();
  return row !== undefined;
}
