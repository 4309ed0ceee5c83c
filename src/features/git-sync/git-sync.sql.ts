import { type Selectable, sql, type Updateable } from 'kysely';
import type { Db } from '#core/db/database.ts';
import type { DB } from '#core/db/schema.generated.ts';
import { siteGoesOn } from '#features/hold/hold.ts';

export type LinkRow = Selectable<DB['git_links']>;

export async function listLinkedSites(
  db: Db,
  teamIds: string[],
  siteIds: string[],
): Promise<{ fqdn: string; git_url: string }[]> {
  const { rows } = await sql<{ fqdn: string; git_url: string }>`
    select fqdn, git_url from sites
    where (team_id = any(${teamIds}::uuid[]) or id = any(${siteIds}::uuid[])) and kind = 'live' and git_url is not null order by fqdn`.execute(
    db,
  );
  return rows;
}

export async function findLink(db: Db, siteId: string): Promise<LinkRow | undefined> {
  return db.selectFrom('git_links').selectAll().where('site_id', '=', siteId).executeTakeFirst();
}

/** The account that opens a linked repository, for as long as whoever linked it works for the team of the site. */
export async function findLinkedAccountId(
  db: Db,
  link: Pick<LinkRow, 'site_id' | 'account_id'>,
): Promise<string | undefined> {
  const { rows } = await sql<{ id: string }>`
    select a.id from git_accounts a join sites s on s.id = ${link.site_id}
    where a.id = ${link.account_id} and (
      exists (select from team_members m where m.team_id = s.team_id and m.user_id = a.user_id and m.role <> 'viewer')
      or exists (select from site_roles r where r.site_id = coalesce(s.of_site_id, s.id) and r.user_id = a.user_id
        and r.role <> 'viewer'))`.execute(db);
  return rows[0]?.id;
}

export type NewLink = Pick<
  LinkRow,
  'site_id' | 'git_url' | 'branch' | 'account_id' | 'uses_account' | 'hook_secret_sealed'
> &
  Partial<Pick<LinkRow, 'files'>>;

/** A repository that takes the place of another one goes on with what that brought, and with the address for pushes. */
export async function putLink(db: Db, link: NewLink): Promise<void> {
  const { git_url, branch, account_id, uses_account } = link;
  await db
    .insertInto('git_links')
    .values(link)
    .onConflict((conflict) =>
      conflict.column('site_id').doUpdateSet({
        git_url,
        branch,
        account_id,
        uses_account,
        default_branch: null,
        tried_hash: null,
        problem: null,
      }),
    )
    .execute();
}

export async function updateLink(db: Db, siteId: string, change: Updateable<DB['git_links']>): Promise<void> {
  await db.updateTable('git_links').set(change).where('site_id', '=', siteId).execute();
}

export async function deleteLink(db: Db, siteId: string): Promise<void> {
  await db.deleteFrom('git_links').where('site_id', '=', siteId).execute();
}

/** What a stage follows, for everybody to see. */
export async function setStageBranch(db: Db, siteId: string, branch: string | null): Promise<void> {
  await sql`update site_stages set git_branch = ${branch} where site_id = ${siteId}`.execute(db);
}

/** The next look at a repository, spread so that those that were linked together are not asked together. */
const NEXT_LOOK = sql`now() + interval '5 minutes' + random() * interval '1 minute'`;

/** Sites whose repository is to be looked at, each with the time of its next turn. */
export async function takeDueLinks(db: Db, limit: number): Promise<string[]> {
  const { rows } = await sql<{ site_id: string }>`
    with due as materialized (
      select l.site_id from git_links l join sites s on s.id = l.site_id
        join teams t on t.id = s.team_id and t.is_active and not t.is_expired
      where l.look_at <= now() and ${siteGoesOn('s.busy')} order by l.look_at limit ${limit} for update of l skip locked
    )
    update git_links l set look_at = ${NEXT_LOOK} from due where l.site_id = due.site_id returning l.site_id`.execute(
    db,
  );
  return rows.map(({ site_id }) => site_id);
}

/** Whether the team of a site is neither suspended nor unpaid. */
export async function isServed(db: Db, siteId: string): Promise<boolean> {
  const { rows } = await sql`select from sites s join teams t on t.id = s.team_id
    where s.id = ${siteId} and t.is_active and not t.is_expired`.execute(db);
  return rows.length > 0;
}

/** Where something is wrong with it, a repository is asked less often. */
export async function noteProblem(db: Db, siteId: string, problem: string | null): Promise<void> {
  await sql`update git_links set problem = ${problem},
      look_at = case when ${problem}::text is null then look_at else now() + interval '30 minutes' end
    where site_id = ${siteId}`.execute(db);
}

/** It could not be synced now; it is looked at again soon. */
export async function lookSoon(db: Db, siteId: string): Promise<void> {
  await sql`update git_links set look_at = least(look_at, now() + interval '20 seconds') where site_id = ${siteId}`.execute(
    db,
  );
}

/** Of sites that are gone for good. */
export async function deleteOrphanedLinks(db: Db): Promise<void> {
  await sql`delete from git_links l where not exists (select from sites s where s.id = l.site_id)
    and not exists (select from deleted_sites d where d.id = l.site_id)`.execute(db);
}
