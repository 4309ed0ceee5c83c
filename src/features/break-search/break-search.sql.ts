import { sql } from 'kysely';
import type { Db } from '#core/db/database.ts';

/** What a search looks for, and what came of it, are kept in its event. */
export interface SearchEvent {
  id: string;
  created_at: Date;
  detail: Record<string, unknown>;
}

const IS_SEARCH = sql`event_type = 'restore.searched'`;

export async function findSearch(db: Db, siteId: string, id: string): Promise<SearchEvent | undefined> {
  const { rows } = await sql<SearchEvent>`select id, created_at, detail from events
    where id = ${id} and site_live_id = ${siteId} and ${IS_SEARCH}`.execute(db);
  return rows[0];
}

/** One that was asked for within a day: what is older was lost with its job. */
export async function isSearching(db: Db, siteId: string): Promise<boolean> {
  const { rows } = await sql`select from events where site_live_id = ${siteId} and ${IS_SEARCH}
    and finished_at is null and created_at > now() - interval '1 day' limit 1`.execute(db);
  return rows.length > 0;
}

export async function countKeptMoments(db: Db, siteId: string, from: Date, until: Date): Promise<number> {
  const { rows } = await sql<{
    count: number;
  }>`select count(*)::int as count from ${ofTime(siteId, from, until)}`.execute(db);
  return rows[0]?.count ?? 0;
}

/** Those that can be restored. */
const ofTime = (siteId: string, from: Date, until: Date) => sql`backups
  where site_id = ${siteId} and created_at between ${from} and ${until} and damaged_at is null`;

export interface KeptMoment {
  commit_hash: string;
  created_at: Date;
}

/** The kept minutes of a time, oldest first. */
export async function listKeptMoments(db: Db, siteId: string, from: Date, until: Date): Promise<KeptMoment[]> {
  const { rows } = await sql<KeptMoment>`select commit_hash, created_at from ${ofTime(siteId, from, until)}
    order by created_at, id`.execute(db);
  return rows;
}
