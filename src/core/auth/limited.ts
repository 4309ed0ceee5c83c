import { type RawBuilder, sql } from 'kysely';
import type { Caller } from './caller.ts';

/** Whether a row of a table with `team_id` is about one of the sites that somebody is limited to, while it was that team's. */
export function isAmong(sites: Caller['siteRoles'], siteColumn: RawBuilder<unknown>): RawBuilder<unknown> {
  if (sites.size === 0) return sql`false`;
  const teams = [...sites.values()].map(({ teamId }) => teamId);
  return sql`(${siteColumn}, team_id) in (select * from unnest(${[...sites.keys()]}::uuid[], ${teams}::uuid[]))`;
}
