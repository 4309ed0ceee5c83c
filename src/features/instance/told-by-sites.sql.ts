import { sql } from 'kysely';
import type { Db } from '#core/db/database.ts';
import type { SiteStatus } from '#runtimes/runtime.ts';

/**
 * What sites told of themselves, in one statement, which locks them in the order of their ids as everybody does. Cron work
 * that is overdue is due since the platform first heard of it: a busy site, which tells so with each request, keeps its
 * place, and nobody gets in front of others by telling of work from long ago. A site without any is not woken for it.
 */
export async function writeStatuses(db: Db, statuses: ReadonlyMap<string, SiteStatus>): Promise<void> {
  const entries = [...statuses.values()];
  await sql`
    with said as (
      select * from unnest(${[...statuses.keys()]}::uuid[], ${entries.map((entry) => entry.faviconUrl)}::text[],
        ${entries.map((entry) => entry.nextCronAt)}::timestamptz[], ${entries.map((entry) => entry.title)}::text[])
        as said (id, icon, next_cron_at, title)
    ), held as materialized (
      select id, fqdn, title as known_title, next_cron_at as known_cron_at from sites
      where id in (select id from said) and kind <> 'preview' order by id for no key update
    ), told as (
      -- An icon from elsewhere would tell that server who looks at the dashboard.
      select id, coalesce(title, known_title) as title, case when substring(icon from '^https?://([^/:?#]+)') = fqdn then icon end as favicon_url,
        case when next_cron_at is not null then greatest(next_cron_at, least(known_cron_at, now())) end as next_cron_at
      from said join held using (id)
    )
    update sites s set favicon_url = told.favicon_url, title = told.title, next_cron_at = told.next_cron_at from told
    where s.id = told.id
      and (s.favicon_url is distinct from told.favicon_url or s.title <> told.title or s.next_cron_at is distinct from told.next_cron_at)`.execute(
    db,
  );
}
