import { type Caller, teamsOf } from '#core/auth/caller.ts';
import type { Db } from '#core/db/database.ts';
import { maySee, seesAccount } from '#core/events/hub.ts';
import { readHost } from '#core/host-name.ts';
import type { Listing, Paging } from '#core/pages.ts';
import { usersById } from '#features/user/user.ts';
import { type Event, eventNotFound } from './event.schema.ts';
import {
  type EventRow,
  findEvent,
  findSitesCalled,
  listEventsOfSites,
  listEventsOfTeam,
  listEventsOfUser,
  moveReadCursor,
  type SiteOfReader,
} from './event.sql.ts';

interface EventListing {
  count: number;
  events: Event[];
}

export async function listTeamEvents(
  db: Db,
  caller: Caller,
  teamId: string,
  after: string | undefined,
  paging: Paging,
): Promise<EventListing> {
  return complete(
    db,
    await listEventsOfTeam(db, caller.userId, teamId, after === undefined ? null : new Date(after), paging),
  );
}

/** What happened to a site under any of its names, as far as it belongs to the caller's teams. */
export async function listSiteEvents(
  db: Db,
  caller: Caller,
  siteId: string,
  after: string | undefined,
  paging: Paging,
): Promise<EventListing> {
  const wanted = { sites: pairsFor(caller, [siteId]), ...(after && { after: new Date(after) }) };
  return complete(db, await listEventsOfSites(db, caller.userId, wanted, paging));
}

/** Each site with the teams whose events of it the caller may see. */
function pairsFor(caller: Caller, siteIds: string[]): SiteOfReader[] {
  return siteIds.flatMap((site_id) => {
    const limited = caller.siteRoles.get(site_id);
    const teams = [...caller.roles.keys(), ...(limited ? [limited.teamId] : [])];
    return teams.map((team_id) => ({ site_id, team_id }));
  });
}

/** What an operator is shown of a person, a team or a site. */
export async function listAnyEvents(
  db: Db,
  caller: Caller,
  of: { user_id: string; teamIds: string[] } | { team_id: string } | { site_id: string; team_id: string },
  paging: Paging,
): Promise<EventListing> {
  const list = () => {
    if ('user_id' in of)
      return listEventsOfUser(db, { userId: of.user_id, withAccount: true, teamIds: of.teamIds, sites: [] }, paging);
    if ('site_id' in of) return listEventsOfSites(db, caller.userId, { sites: [of] }, paging);
    return listEventsOfTeam(db, caller.userId, of.team_id, null, paging);
  };
  const { count, events } = await complete(db, await list());
  // They are nobody's news here.
  return { count, events: events.map((event) => ({ ...event, unread: false })) };
}

export async function listMyEvents(
  db: Db,
  caller: Caller,
  name: string | undefined,
  paging: Paging,
): Promise<EventListing> {
  const { userId } = caller;
  const teamIds = [...caller.roles.keys()];
  if (name === undefined) {
    const sites = [...caller.siteRoles].map(([site_id, { teamId }]) => ({ site_id, team_id: teamId }));
    const wanted = { userId, withAccount: seesAccount(caller), teamIds, sites };
    return complete(db, await listEventsOfUser(db, wanted, paging));
  }
  const fqdn = readHost(name) ?? name.toLowerCase();
  const sites = pairsFor(caller, await findSitesCalled(db, fqdn, teamsOf(caller)));
  return complete(db, await listEventsOfSites(db, userId, { sites, named: { fqdn, teamIds } }, paging));
}

async function complete(db: Db, { count, rows }: Listing<EventRow>): Promise<EventListing> {
  return { count, events: await completeEvents(db, rows) };
}

/** Adds who did it. */
export async function completeEvents<Row extends Omit<Event, 'user'>>(
  db: Db,
  rows: Row[],
): Promise<(Row & Pick<Event, 'user'>)[]> {
  const users = await usersById(
    db,
    rows.flatMap((row) => row.user_id ?? []),
  );
  return rows.map((row) => ({ ...row, user: row.user_id ? (users.get(row.user_id) ?? null) : null }));
}

/** Events have no team of their own to name in a path, so the policy is here: what the caller may not see is not there. */
async function findVisible(db: Db, caller: Caller, eventId: string): Promise<EventRow> {
  const row = await findEvent(db, caller.userId, eventId);
  if (!row || !maySee(caller, row)) throw eventNotFound();
  return row;
}

export async function getEvent(db: Db, caller: Caller, eventId: string): Promise<Event> {
  const row = await findVisible(db, caller, eventId);
  return (await completeEvents(db, [row]))[0] as Event;
}

export async function readEvents(db: Db, caller: Caller, eventId: string): Promise<void> {
  const row = await findVisible(db, caller, eventId);
  await moveReadCursor(db, caller.userId, row.seq);
}
