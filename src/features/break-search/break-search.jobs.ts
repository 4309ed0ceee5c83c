import { finishEvent, reportProgress } from '#core/events/events.ts';
import { jobKind } from '#core/jobs/jobs.ts';
import type { Services } from '#core/services.ts';
import { findBackupByHash, snapshotNameOf, viewpointOf } from '#features/backup/backup.ts';
import { findSiteById, type SiteRow } from '#features/instance/instance.ts';
import { isBrokenAt, type Wanted } from './break-search.look.ts';
import type { BreakSearch } from './break-search.schema.ts';
import { type KeptMoment, listKeptMoments } from './break-search.sql.ts';
import { firstBroken } from './first-broken.ts';

interface Search {
  siteId: string;
  eventId: string;
  wanted: Wanted;
  from: string;
  until: string;
}

/** Every reader of the event gets them, so neither they nor the names that a site made up may be many or long. */
const LISTED = 50;
const NAME_LENGTH = 200;

/** Safe to run again: it begins anew, and what a killed one left of its copies ends by itself. */
export const searchBreak = jobKind<Search>({
  name: 'break-search.run',
  lane: 'search',
  async run({ siteId, eventId, wanted, from, until }, { services, commit, signal }) {
    const { db } = services;
    const site = await findSiteById(db, siteId);
    if (!site) return commit((tx) => finishEvent(tx, eventId, { failure: 'The site is gone.' }));
    const moments = await listKeptMoments(db, siteId, new Date(from), new Date(until));
    let looks = 0;
    const at = await firstBroken(moments, async (moment) => {
      signal.throwIfAborted();
      looks++;
      await reportProgress(db, eventId, { looks, of: moments.length, step: `looking at minute ${looks}` });
      return isBrokenAt(services, site, moment, wanted);
    });
    const [good, bad] = [moments[at - 1], moments[at]];
    const changes = good && bad ? await changesBetween(services, site, good, bad) : [];
    const result = {
      looks,
      of: moments.length,
      state: stateOf(good, bad),
      good_point: good?.created_at ?? null,
      bad_point: bad?.created_at ?? null,
      changes,
    };
    await commit((tx) => finishEvent(tx, eventId, result));
  },
  abandon: (tx, { eventId }) => finishEvent(tx, eventId, { failure: 'The search could not be finished.' }),
});

function stateOf(good: KeptMoment | undefined, bad: KeptMoment | undefined): BreakSearch['state'] {
  if (!bad) return 'never_broken';
  return good ? 'found' : 'never_fine';
}

/** As a restore of the one over the other would see it: what that would delete is what came. */
async function changesBetween(services: Services, site: SiteRow, good: KeptMoment, bad: KeptMoment) {
  const { db, hosts } = services;
  const [now, point] = await Promise.all(
    [bad, good].map(({ commit_hash }) => findBackupByHash(db, site.id, commit_hash)),
  );
  if (!now || !point) return [];
  const wish = { point: snapshotNameOf(point), files: true, tables: true, deleteExtraFiles: true };
  const window = { offset: 0, limit: LISTED };
  const { list } = await hosts.compare(site, await viewpointOf(db, site), snapshotNameOf(now), wish, window);
  return [
    ...list.files.map(({ path, change }) => ({ kind: 'file', name: path.slice(0, NAME_LENGTH), change: CAME[change] })),
    ...list.tables.map(({ name, change }) => ({
      kind: 'table',
      name: name.slice(0, NAME_LENGTH),
      change: CAME[change],
    })),
  ];
}

const CAME = { deleted: 'added', restored: 'changed', added: 'removed', failed: 'changed' } as const;
