import { sql } from 'kysely';
import type { Db } from '#core/db/database.ts';
import type { Failure } from '#core/errors.ts';
import { stageMissing } from './instance.schema.ts';
import type { SiteRow } from './instance.sql.ts';

/** What everybody may know of a site's stage; what is done with stages is elsewhere. */
export interface StageRow
  extends Pick<
    SiteRow,
    | 'id'
    | 'fqdn'
    | 'busy'
    | 'is_sleeping'
    | 'http_auth_enabled'
    | 'debug_enabled'
    | 'cdn_dev_mode_enabled'
    | 'cdn_firewall_enabled'
    | 'cdn_firewall_allowed_ips'
    | 'created_at'
  > {
  of_site_id: string;
  git_branch: string | null;
}

export async function stagesOfSites(db: Db, siteIds: string[]): Promise<Map<string, StageRow>> {
  const { rows } = await sql<StageRow>`
    select s.of_site_id, s.id, s.fqdn, s.busy, s.is_sleeping, s.http_auth_enabled, s.debug_enabled, s.cdn_dev_mode_enabled, s.cdn_firewall_enabled,
      s.cdn_firewall_allowed_ips, g.git_branch, s.created_at from sites s join site_stages g on g.site_id = s.id
    where s.of_site_id = any(${siteIds}::uuid[]) and s.kind = 'stage'`.execute(db);
  return new Map(rows.map((row) => [row.of_site_id, row]));
}

/** The stage of a site. Whoever has locked the site has locked it too. */
export async function findStage(db: Db, siteId: string): Promise<SiteRow | undefined> {
  const { rows } = await sql<SiteRow>`select * from sites where of_site_id = ${siteId} and kind = 'stage'`.execute(db);
  return rows[0];
}

/** The site itself, or its stage where somebody means that. */
export async function siteOrStage(
  db: Db,
  site: SiteRow,
  isStage: boolean | undefined,
  missing: Failure = stageMissing,
): Promise<SiteRow> {
  if (!isStage) return site;
  const stage = await findStage(db, site.id);
  if (!stage) throw missing();
  return stage;
}

/** The live site is back at a point: commits after it did not happen, and what both sides went on from is what it was before them. */
export async function forgetCommitsAfter(db: Db, siteId: string, point: Date): Promise<void> {
  await sql`delete from stage_bases b using sites s
    where s.id = b.stage_id and s.of_site_id = ${siteId} and b.live_point > ${point}
      and exists (select from stage_bases older where older.stage_id = b.stage_id and older.id < b.id)`.execute(db);
}
