import { sql } from 'kysely';
import type { Db } from '#core/db/database.ts';
import { sumTallies } from '#core/db/sum-tallies.ts';
import type { SiteLabel } from './site-label.schema.ts';

/** Kept by triggers on the sites; a team with thousands of sites has few words for them. */
export async function countLabels(db: Db, teamId: string): Promise<SiteLabel[]> {
  const { rows } = await sql<SiteLabel>`
    select label, sum(sites)::int as sites from label_tallies where team_id = ${teamId}
    group by label having sum(sites) > 0 order by label limit 500`.execute(db);
  return rows;
}

export async function sumLabels(db: Db): Promise<void> {
  await sumTallies(db, { table: 'label_tallies', key: ['team_id', 'label'], amount: 'sites' });
}

export interface LabelledRow {
  id: string;
  fqdn: string;
  labels: string[];
}

/** Those of the team, in the order in which everybody locks them. */
export async function lockSitesOfTeam(db: Db, teamId: string, fqdns: string[]): Promise<LabelledRow[]> {
  const { rows } = await sql<LabelledRow>`
    select id, fqdn, labels from sites where team_id = ${teamId} and kind = 'live' and fqdn = any(${fqdns}::text[])
    order by id for no key update`.execute(db);
  return rows;
}

export async function writeLabels(db: Db, rows: LabelledRow[]): Promise<void> {
  await sql`
    update sites set labels = array(select json_array_elements_text(said.labels)) from (
      select (entry->>'id')::uuid as id, entry->'labels' as labels from json_array_elements(${JSON.stringify(rows)}::json) as entry
    ) said where sites.id = said.id`.execute(db);
}
