import { sql } from 'kysely';
import type { Db } from '#core/db/database.ts';

/** Another team that has a name, with its site, or that had it within thirty days. */
export interface NameHolder {
  team_id: string;
  site_id: string | null;
}

export async function findHolder(db: Db, fqdn: string, teamId: string): Promise<NameHolder | undefined> {
  const { rows } = await sql<NameHolder>`
    select s.team_id, s.id as site_id from site_names n join sites s on s.id = n.site_id
      where n.fqdn = ${fqdn} and s.team_id <> ${teamId}
    union all
    select team_id, null from released_names
      where fqdn = ${fqdn} and team_id <> ${teamId} and released_at > now() - interval '30 days'
    order by site_id nulls last limit 1`.execute(db);
  return rows[0];
}
