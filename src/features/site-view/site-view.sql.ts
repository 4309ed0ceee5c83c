import { type Selectable, sql } from 'kysely';
import type { Db } from '#core/db/database.ts';
import type { DB } from '#core/db/schema.generated.ts';
import { type Listing, listNewest, type Paging } from '#core/pages.ts';

export type SiteViewRow = Selectable<DB['site_views']>;
type Owner = { userId: string; teamId: string };

export async function listSiteViews(db: Db, { userId, teamId }: Owner, paging: Paging): Promise<Listing<SiteViewRow>> {
  const where = sql`user_id = ${userId} and team_id = ${teamId}`;
  return listNewest<SiteViewRow>(db, { table: 'site_views', where, columns: sql`site_views.*` }, paging);
}

/** Undefined where the person has as many as they may. The count and the row are one statement; two at once may be one above. */
export async function putSiteView(
  db: Db,
  { userId, teamId }: Owner,
  view: Pick<SiteViewRow, 'name' | 'search' | 'label' | 'state' | 'sort' | 'layout'>,
  max: number,
): Promise<SiteViewRow | undefined> {
  const { rows } = await sql<SiteViewRow>`
    insert into site_views (user_id, team_id, name, search, label, state, sort, layout)
    select ${userId}::uuid, ${teamId}::uuid, ${view.name}, ${view.search}, ${view.label}, ${view.state}, ${view.sort}, ${view.layout}
    where (select count(*) from site_views
      where user_id = ${userId}::uuid and team_id = ${teamId}::uuid and name <> ${view.name}) < ${max}
    on conflict (user_id, team_id, name) do update set search = excluded.search, label = excluded.label,
      state = excluded.state, sort = excluded.sort, layout = excluded.layout
    returning *`.execute(db);
  return rows[0];
}

export async function deleteSiteView(db: Db, { userId, teamId }: Owner, id: string): Promise<boolean> {
  const { rows } = await sql`
    delete from site_views where id = ${id} and user_id = ${userId} and team_id = ${teamId} returning id`.execute(db);
  return rows.length > 0;
}
