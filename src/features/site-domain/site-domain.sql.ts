import { sql } from 'kysely';
import type { Db } from '#core/db/database.ts';

export interface DomainRow {
  fqdn: string;
  site_id: string;
  is_primary: boolean;
  mode: 'redirect' | 'serve';
  verified_at: Date | null;
  looked_at: Date | null;
  created_at: Date;
}

const COLUMNS = sql`n.fqdn, n.site_id, n.fqdn = s.fqdn as is_primary, n.mode, n.verified_at, n.looked_at, n.created_at`;

export async function listDomains(db: Db, siteId: string): Promise<DomainRow[]> {
  const { rows } = await sql<DomainRow>`
    select ${COLUMNS} from site_names n join sites s on s.id = n.site_id where s.id = ${siteId}
    order by n.fqdn = s.fqdn desc, n.created_at, n.fqdn like 'www.%', n.fqdn`.execute(db);
  return rows;
}

export async function findDomain(db: Db, siteId: string, fqdn: string): Promise<DomainRow | undefined> {
  const { rows } = await sql<DomainRow>`
    select ${COLUMNS} from site_names n join sites s on s.id = n.site_id
    where s.id = ${siteId} and n.fqdn = ${fqdn}`.execute(db);
  return rows[0];
}

export async function setMode(db: Db, siteId: string, fqdn: string, mode: DomainRow['mode']): Promise<void> {
  await sql`update site_names set mode = ${mode} where fqdn = ${fqdn} and site_id = ${siteId}`.execute(db);
}

export interface DueName {
  fqdn: string;
  site_id: string;
  region_id: number;
}

/** Names whose records are to be looked at: of each team the longest due first, so that a team with many holds up nobody. */
export async function findDueNames(db: Db, limit: number): Promise<DueName[]> {
  const { rows } = await sql<DueName>`
    select n.fqdn, n.site_id, s.region_id from site_names n join sites s on s.id = n.site_id
    where n.next_look_at <= now()
    order by row_number() over (partition by s.team_id order by n.next_look_at), n.next_look_at limit ${limit}`.execute(
    db,
  );
  return rows;
}

/**
 * What a look at the records of a name found; undefined where nobody could be asked. A name that is not right yet is looked at after a tenth of the
 * time for which the site has had it, so that who has just changed a record does not wait long, and who never does costs little.
 */
export async function noteLook(
  db: Db,
  { fqdn, site_id }: Pick<DueName, 'fqdn' | 'site_id'>,
  isRight: boolean | undefined,
): Promise<void> {
  await sql`
    update site_names set looked_at = now(),
      verified_at = case when ${isRight ?? null}::boolean then coalesce(verified_at, now()) when ${isRight ?? null}::boolean = false then null
        else verified_at end,
      next_look_at = now() + case when ${isRight ?? false} then interval '6 hours'
        else least(interval '6 hours', greatest(interval '1 minute', (now() - created_at) / 10)) end
    where fqdn = ${fqdn} and site_id = ${site_id}`.execute(db);
}

/** A name of the platform's own domain, whose records are the platform's. */
export async function noteOwnName(db: Db, fqdn: string): Promise<void> {
  await sql`update site_names set looked_at = now(), verified_at = coalesce(verified_at, now()), next_look_at = 'infinity'
    where fqdn = ${fqdn}`.execute(db);
}
