import type { Db } from '#core/db/database.ts';
import type { Call } from '#core/http/operation.ts';
import { lockNamedSite, recordSiteEvent, type SiteRow } from '#features/instance/instance.ts';
import { lockWorkingTeam } from '#features/team/team.ts';
import { searchBreak } from './break-search.jobs.ts';
import {
  type BreakSearch,
  type NewBreakSearch,
  nothingToSearch,
  searchNotFound,
  searchRuns,
} from './break-search.schema.ts';
import { countKeptMoments, findSearch, isSearching, type SearchEvent } from './break-search.sql.ts';

const EVER = { from: '1970-01-01T00:00:00Z', until: '9999-12-31T00:00:00Z' };

/** Writes the event, which is the record, and the job that looks. */
export async function createBreakSearch(call: Call, named: SiteRow, input: NewBreakSearch): Promise<BreakSearch> {
  const { db, services, caller } = call;
  await lockWorkingTeam(db, named.team_id);
  const site = await lockNamedSite(db, named);
  if (await isSearching(db, site.id)) throw searchRuns();
  const { path, text = null, text_is, from = EVER.from, until = EVER.until } = input;
  const of = await countKeptMoments(db, site.id, new Date(from), new Date(until));
  if (of === 0) throw nothingToSearch();
  const eventId = await recordSiteEvent(db, caller, site, {
    event_type: 'restore.searched',
    activity: `${caller.fullName} searched for the minute in which a page of ${site.fqdn} broke`,
    detail: { path, state: 'searching', looks: 0, of },
    unfinished: true,
  });
  const wanted = { path, text, isAbsent: text_is === 'absent' };
  const work = { siteId: site.id, eventId, wanted, from, until };
  await services.jobs.enqueue(db, searchBreak, work, site.id, site.team_id);
  call.headers['operation-id'] = eventId;
  return getBreakSearch(db, site.id, eventId);
}

export async function getBreakSearch(db: Db, siteId: string, id: string): Promise<BreakSearch> {
  const event = await findSearch(db, siteId, id);
  if (!event) throw searchNotFound();
  return viewOf(event);
}

function viewOf({ id, created_at, detail }: SearchEvent): BreakSearch {
  const {
    failure = null,
    path,
    state,
    looks,
    of,
    good_point = null,
    bad_point = null,
    changes = [],
  } = detail as Partial<BreakSearch>;
  return {
    id,
    path: path ?? '',
    created_at,
    state: failure === null ? (state ?? 'searching') : 'failed',
    looks: looks ?? 0,
    of: of ?? 0,
    good_point,
    bad_point,
    changes,
    failure,
  };
}
