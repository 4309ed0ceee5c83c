import { sql } from 'kysely';
import type { Db } from '#core/db/database.ts';
import { FAILED_IN_A_ROW } from '#features/instance/instance.ts';
import { ATTENTION_KINDS, type AttentionItem, type TeamAttention } from './attention.schema.ts';

const EACH = 25;

/** A domain and its www twin with the same trouble are one thing to look at. */
const PAIR = sql`regexp_replace(n.fqdn, '^www\\.', '')`;
const NAMES = sql`array_agg(n.fqdn order by length(n.fqdn))`;

/**
 * What a team should look at. Each kind of trouble comes off an index of the few rows that are in trouble at all, whichever team's they
 * are, so that a team with ten thousand healthy sites costs what one with ten does.
 */
export async function readAttention(db: Db, teamId: string): Promise<AttentionItem[]> {
  const { rows } = await sql<AttentionItem>`
    (select 'payment' as kind, case when is_expired then 'danger' else 'warning' end as severity, null as fqdn, 0 as sites, null as name,
      null as twin, null as reason, unpaid_since as since
      from teams where id = ${teamId} and (unpaid_since is not null or is_expired))
    union all
    (select 'storage', 'danger', null, 0, null, null, null, null from teams where id = ${teamId} and storage_is_used_up)
    union all
    (select 'errors', 'danger', s.fqdn, 1, null, null, null, s.failing_since from sites s
      where s.failing_since is not null and s.failed_answers >= ${FAILED_IN_A_ROW} and s.team_id = ${teamId} and s.kind = 'live'
      order by s.failing_since limit ${EACH})
    union all
    (select 'backup', 'danger', s.fqdn, 1, null, null, c.failure, c.failing_since
      from backup_clocks c join sites s on s.id = c.site_id
      where c.failing_since is not null and s.team_id = ${teamId} and s.kind = 'live' order by c.failing_since limit ${EACH})
    union all
    (select 'certificate', case when bool_or(t.not_after is null or t.not_after < now() + interval '3 days') then 'danger' else 'warning' end,
      s.fqdn, 1, (${NAMES})[1], (${NAMES})[2], (array_agg(t.reason order by length(n.fqdn)))[1], min(t.created_at)
      from certificates t join site_names n on n.fqdn = t.name join sites s on s.id = n.site_id
      where t.failures > 0 and s.team_id = ${teamId} and s.kind = 'live' group by s.id, ${PAIR}
      order by min(t.not_after) nulls first limit ${EACH})
    union all
    (select 'dns', 'warning', s.fqdn, 1, (${NAMES})[1], (${NAMES})[2], null, min(n.looked_at)
      from site_names n join sites s on s.id = n.site_id
      where n.verified_at is null and n.looked_at is not null and s.team_id = ${teamId} and s.kind = 'live' group by s.id, ${PAIR}
      order by max(n.created_at) desc limit ${EACH})`.execute(db);
  return [...rows, ...(await readUpdates(db, teamId))].sort((a, b) => placeOf(a) - placeOf(b));
}

const placeOf = ({ severity, kind }: AttentionItem) =>
  ATTENTION_KINDS.indexOf(kind) + (severity === 'danger' ? 0 : ATTENTION_KINDS.length);

/**
 * The updates that wait are one thing to look at however many sites they wait on: every site of a team may have some. Both counts come off one index that has
 * no other sites in it.
 */
async function readUpdates(db: Db, teamId: string): Promise<AttentionItem[]> {
  const { rows } = await sql<Pick<AttentionItem, 'kind' | 'fqdn' | 'sites'>>`
    select case when security_update is null then 'updates' else 'security' end as kind, count(*)::int as sites,
      case when count(*) = 1 then min(fqdn) end as fqdn
    from sites where team_id = ${teamId} and kind = 'live' and updates_waiting > 0 group by 1 order by 1`.execute(db);
  return rows.map((row) => ({ ...row, severity: 'warning', name: null, twin: null, reason: null, since: null }));
}

export async function countSitesOfTeam(db: Db, teamId: string): Promise<TeamAttention['sites']> {
  const { rows } = await sql<TeamAttention['sites']>`
    select count(*)::int as total, count(*) filter (where busy is not null)::int as busy,
      count(*) filter (where busy is null and is_sleeping)::int as asleep,
      count(*) filter (where busy is null and not is_sleeping)::int as awake
    from sites where team_id = ${teamId} and kind = 'live'`.execute(db);
  return rows[0] as TeamAttention['sites'];
}
