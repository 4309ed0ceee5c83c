import { sql } from 'kysely';
import type { Db } from '#core/db/database.ts';
import { FAILED_IN_A_ROW, type SiteRow } from '#features/instance/instance.ts';

export interface Trouble {
  site: Pick<SiteRow, 'id' | 'team_id' | 'fqdn'>;
  kind: 'errors' | 'backup' | 'certificate';
  /** The domain that it is about, or nothing. */
  name: string;
  since: Date;
  reason: string | null;
  user_id: string;
}

/** What mends itself before that is nobody's trouble. */
const LASTING = { errors: sql`interval '10 minutes'`, backup: sql`interval '6 hours'` };
const FAILED_TRIES = 5;

/**
 * Takes the troubles of live sites that have lasted and that nobody was told of. A site that fails and recovers all day is told of once a day. Each kind
 * comes off the index of the few rows that are in trouble at all.
 */
export async function takeTroubles(db: Db, limit: number): Promise<Trouble[]> {
  const { rows } = await sql<Trouble>`
    with found as (
      select s.id, 'errors' as kind, '' as name, s.failing_since as since, null as reason from sites s
      where s.failing_since < now() - ${LASTING.errors} and s.failed_answers >= ${FAILED_IN_A_ROW}
      union all
      select c.site_id, 'backup', '', c.failing_since, c.failure from backup_clocks c
      where c.failing_since < now() - ${LASTING.backup}
      union all
      select n.site_id, 'certificate', c.name, coalesce(c.not_before, c.created_at)::timestamptz(3), c.reason
      from certificates c join site_names n on n.fqdn = c.name where c.failures >= ${FAILED_TRIES} and n.verified_at is not null
    ), told as (
      insert into site_troubles as known (site_id, kind, name, since)
      select s.id, found.kind, found.name, found.since from found join sites s using (id) join teams t on t.id = s.team_id
      where s.kind = 'live' and t.is_active and not t.is_expired and not exists (
        select from site_troubles k where k.site_id = s.id and k.kind = found.kind and k.name = found.name
          and (k.since = found.since or k.told_at > now() - interval '1 day'))
      limit ${limit}
      on conflict (site_id, kind, name) do update set since = excluded.since, told_at = now()
        where known.since <> excluded.since
      returning site_id, kind, name, since
    )
    select json_build_object('id', s.id, 'team_id', s.team_id, 'fqdn', s.fqdn) as site, told.kind, told.name, told.since, found.reason, t.user_id
    from told join found on found.id = told.site_id and found.kind = told.kind and found.name = told.name
      join sites s on s.id = told.site_id join teams t on t.id = s.team_id`.execute(db);
  return rows;
}
