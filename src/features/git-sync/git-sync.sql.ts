import { sql } from 'kysely';
import type { Db } from '#core/db/database.ts';

export async function listLinkedSites(db: Db, teamIds: string[]): Promise<{ fqdn: string; git_url: string }[]> {
  const { rows } = await sql<{ fqdn: string; git_url: string }>`
    select fqdn, git_url from sites
    where team_id = any(${teamIds}::uuid[]) and kind = 'live' and git_url is not null order by fqdn`.execute(db);
  return rows;
}
