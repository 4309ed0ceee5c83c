import { sql } from 'kysely';
import type { Db } from '#core/db/database.ts';
import type { DB } from '#core/db/schema.generated.ts';
import type { Place } from '#host/site-host.ts';

export type HoldKind = DB['site_holds']['kind'];

/** The ways to have a site in which it is used and looked after as ever. */
export const GOES_ON = ['staging', 'git_fetch', 'update_look'] as const;

/** `goesOn` for a column: nothing is done to the site, or only a copy of it is made. */
export const siteGoesOn = (busy: string) =>
  sql`(${sql.ref(busy)} is null or ${sql.ref(busy)} in (${sql.join(GOES_ON.map((kind) => sql.lit(kind)))}))`;

/** Whether a host can be asked without waking it: that of a site on a cluster only while its pod runs. */
export const isHostAwake = (host: string) =>
  sql`(position('.' in ${sql.ref(host)}) = 0 or exists (
    select from platform_processes p where p.host = ${sql.ref(host)} and p.address is not null))`;

export interface Hold {
  site_id: string;
  event_id: string;
  kind: HoldKind;
}

/** False where another work has the site. Whoever brings a site back takes over from who puts it aside. */
export async function insertHold(db: Db, { site_id, event_id, kind }: Hold): Promise<boolean> {
  const { rows } = await sql`
    insert into site_holds (site_id, event_id, kind) values (${site_id}, ${event_id}, ${kind})
    on conflict (site_id) do update set event_id = excluded.event_id, kind = excluded.kind, held_at = now()
      where site_holds.kind = 'archiving' and excluded.kind = 'returning'
    returning site_id`.execute(db);
  return rows.length > 0;
}

/** False where this work has the site no more. */
export async function deleteHold(db: Db, siteId: string, eventId: string): Promise<boolean> {
  const { rows } = await sql`
    delete from site_holds where site_id = ${siteId} and event_id = ${eventId} returning site_id`.execute(db);
  return rows.length > 0;
}

/** The same work goes on in another way. What was said to the way before counts no more. False where it has the site no more. */
export async function updateHold(db: Db, siteId: string, eventId: string, kind: HoldKind): Promise<boolean> {
  const { rows } = await sql`
    update site_holds set kind = ${kind} where site_id = ${siteId} and event_id = ${eventId} returning site_id`.execute(
    db,
  );
  await sql`delete from hold_answers where site_id = ${siteId} and event_id = ${eventId}`.execute(db);
  return rows.length > 0;
}

export async function listHolds(db: Db, siteIds?: readonly string[]): Promise<Hold[]> {
  const { rows } = await sql<Hold>`select site_id, event_id, kind from site_holds
    where ${siteIds === undefined ? sql`true` : sql`site_id = any(${siteIds}::uuid[])`}`.execute(db);
  return rows;
}

/** Where a site is, deleted or not. */
export async function findPlace(db: Db, siteId: string): Promise<Place | undefined> {
  const { rows } = await sql<Place>`select host, driver from sites where id = ${siteId}
    union all select host, driver from deleted_sites where id = ${siteId}`.execute(db);
  return rows[0];
}

export interface PlatformProcess {
  id: string;
  machine: string;
  pid: number;
  /** The host that it has inside, if any, and where others reach it, while they can. */
  host: string | null;
  address: string | null;
  /** Since when nobody asks anything of that host. */
  idle_since: Date | null;
}

/** Also tells that it still runs. A process stays with its host: nobody speaks for one of another. True for one that was not known. */
export async function noteProcess(db: Db, process: PlatformProcess): Promise<boolean> {
  const { id, machine, pid, host, address, idle_since } = process;
  const { rows } = await sql<{
    is_new: boolean;
  }>`insert into platform_processes (id, machine, pid, host, address, idle_since)
    values (${id}, ${machine}, ${pid}, ${host}, ${address}, ${idle_since})
    on conflict (id) do update set seen_at = now(), address = excluded.address, idle_since = excluded.idle_since
      where platform_processes.host is not distinct from excluded.host
    returning xmax = 0 as is_new`.execute(db);
  return rows[0]?.is_new ?? false;
}

/** Of a host's processes so many stay: those that came last. */
export async function deleteEarlierProcesses(db: Db, host: string, most: number): Promise<void> {
  await sql`delete from platform_processes where id in (
    select id from platform_processes where host = ${host} order by seen_at desc, id offset ${most})`.execute(db);
}

export async function isProcessOf(db: Db, host: string, id: string): Promise<boolean> {
  const { rows } = await sql`select from platform_processes where id = ${id} and host = ${host}`.execute(db);
  return rows.length > 0;
}

export async function deleteProcess(db: Db, id: string): Promise<void> {
  await sql`delete from platform_processes where id = ${id}`.execute(db);
}

/** All others that had this host inside. */
export async function deleteOtherProcesses(db: Db, host: string, id: string): Promise<void> {
  await sql`delete from platform_processes where host = ${host} and id <> ${id}`.execute(db);
}

/** Those that nobody has heard of for so long. */
export async function deleteSilentProcesses(db: Db, seconds: number): Promise<void> {
  await sql`delete from platform_processes where seen_at < now() - make_interval(secs => ${seconds})`.execute(db);
}

export interface UnansweredProcess extends Pick<PlatformProcess, 'id' | 'machine' | 'pid' | 'host'> {
  seen_at: Date;
  /** By the clock of the database, which may be set forward at any time. */
  is_silent: boolean;
}

/** The processes that could run the site, since they have its host inside, and have yet to say that they let go. */
export async function listUnanswered(
  db: Db,
  { siteId, eventId }: { siteId: string; eventId: string },
  host: string | undefined,
  silentSeconds: number,
): Promise<UnansweredProcess[]> {
  const { rows } = await sql<UnansweredProcess>`
    select id, machine, pid, host, seen_at, seen_at < now() - make_interval(secs => ${silentSeconds}) as is_silent
    from platform_processes p where ${host === undefined ? sql`host is not null` : sql`host = ${host}`} and not exists (
      select from hold_answers a where a.event_id = ${eventId} and a.site_id = ${siteId} and a.process_id = p.id)`.execute(
    db,
  );
  return rows;
}

/** Nothing where the hold is over already. */
export async function insertAnswer(
  db: Db,
  { site_id, event_id }: Pick<Hold, 'site_id' | 'event_id'>,
  processId: string,
): Promise<void> {
  await sql`insert into hold_answers (event_id, site_id, process_id)
    select event_id, site_id, ${processId} from site_holds where site_id = ${site_id} and event_id = ${event_id}
    on conflict do nothing`.execute(db);
}

/**
 * Where a host can be reached: at each process that has it inside, always in the same order, but those that nobody has heard of lately come
 * last. They are not left out: when the database's clock is set forward, that is everybody for a moment.
 */
export async function listDoors(
  db: Db,
  host: string,
  silentSeconds: number,
): Promise<{ id: string; address: string }[]> {
  const { rows } = await sql<{ id: string; address: string }>`select id, address from platform_processes
    where host = ${host} and address is not null
    order by seen_at < now() - make_interval(secs => ${silentSeconds}), id`.execute(db);
  return rows;
}
