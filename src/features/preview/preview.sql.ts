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

/** Those that somebody can look at, oldest first; `lasts` while there is time to look around. */
export async function listPreviews(db: Db, siteId: string) {
  const { rows } = await sql<{ id: string; user_id: string; commit_hash: string; expires_at: Date; lasts: boolean }>`
    select s.id, s.user_id, p.commit_hash, s.expires_at, s.expires_at > now() + interval '10 minutes' as lasts
    from sites s join site_previews p on p.site_id = s.id
    where s.of_site_id = ${siteId} and s.kind = 'preview' and s.expires_at > now()
      -- A search for what broke makes copies for itself.
      and (p.ready_at is not null or s.busy is not null) order by s.expires_at, s.id`.execute(db);
  return rows;
}

export async function markReady(db: Db, id: string): Promise<void> {
  await sql`update site_previews set ready_at = now() where site_id = ${id}`.execute(db);
}
