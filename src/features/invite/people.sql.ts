import { sql } from 'kysely';
import type { Db } from '#core/db/database.ts';
import type { Listing, Paging } from '#core/pages.ts';
import type { Person } from './people.schema.ts';

export type PersonRow = Omit<Person, 'link'> & { site_ids: string[] | null };

/**
 * Members and open invites of a team in one order: the owner, who is invited, then everybody by name. A team is read by its index and sorted; the
 * sites of people are counted for the page alone.
 */
export async function listPeople(
  db: Db,
  teamId: string,
  { search, withInvites }: { search: string | undefined; withInvites: boolean },
  { page, size }: Paging,
): Promise<Listing<PersonRow>> {
  const text = search?.trim().toLowerCase();
  const matches = text ? sql`position(${text} in lower(full_name || ' ' || email)) > 0` : sql`true`;
  const { rows } = await sql<PersonRow & { count: number }>`
    with people as (
      select m.id, 'member' as kind, m.role, m.user_id, u.email, trim(u.first_name || ' ' || u.last_name) as full_name,
        m.joined_at as since, null::timestamptz as expiry, null::uuid[] as site_ids, case m.role when 'owner' then 0 else 2 end as rank
      from team_people m join users u on u.id = m.user_id where m.team_id = ${teamId}
      union all
      select id, 'invite', role, null, target_email, coalesce(first_name, ''), created_at, expiry, site_ids, 1
      from team_invites where team_id = ${teamId} and accepted_at is null and ${withInvites}
    ), matching as (select * from people where ${matches}), page as (
      select *, lower(full_name) as sorted from matching
      order by rank, lower(full_name), id limit ${size} offset ${(page - 1) * size}
    )
    select counted.count, page.*,
      case when page.role = 'limited' then (select count(*)::int from site_roles r where r.team_id = ${teamId} and r.user_id = page.user_id)
        else cardinality(page.site_ids) end as site_count
    from (select count(*)::int as count from matching) counted left join page on true
    order by page.rank, page.sorted, page.id`.execute(db);
  return { count: rows[0]?.count ?? 0, rows: rows.filter(({ id }) => id !== null) };
}
