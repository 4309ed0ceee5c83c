import { type Selectable, sql } from 'kysely';
import type { Db } from '#core/db/database.ts';
import type { DB } from '#core/db/schema.generated.ts';
import type { SiteRow } from '#features/instance/instance.ts';

/** What only a preview has, beside its row as an instance. */
type OwnColumns = Omit<Selectable<DB['site_previews']>, 'site_id'>;

/** A site as it was, to be looked at for a while. */
export type PreviewRow = SiteRow &
  OwnColumns & { kind: 'preview'; of_site_id: string; expires_at: Date; live_fqdn: string; is_of_stage: boolean };

/** From the database's clock, which also tells when it is over. */
export const HALF_AN_HOUR_FROM_NOW = sql<Date>`now() + interval '30 minutes'`;

export async function insertPreview(db: Db, siteId: string, row: Omit<OwnColumns, 'ready_at'>): Promise<void> {
  await db
    .insertInto('site_previews')
    .values({ site_id: siteId, ...row })
    .execute();
}

export async function findPreview(db: Db, id: string): Promise<PreviewRow | undefined> {
  const { rows } = await sql<PreviewRow>`
    select s.*, p.commit_hash, p.restore_point, p.ready_at, coalesce(live.fqdn, origin.fqdn) as live_fqdn, live.id is not null as is_of_stage
    from sites s join site_previews p on p.site_id = s.id join sites origin on origin.id = s.of_site_id
    left join sites live on live.id = origin.of_site_id where s.id = ${id}`.execute(db);
  return rows[0];
}

export async function countPreviews(db: Db, siteId: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*)::int as count from sites
    where of_site_id = ${siteId} and kind = 'preview' and expires_at > now()`.execute(db);
  return rows[0]?.count ?? 0;
}

export async function markReady(db: Db, id: string): Promise<void> {
  await sql`update site_previews set ready_at = now() where site_id = ${id}`.execute(db);
}
