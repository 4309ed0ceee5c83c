import { type Db, inTransaction } from '#core/db/database.ts';
import { LockBusy } from '#core/db/locks.ts';
import { finishEvent } from '#core/events/events.ts';
import type { Services } from '#core/services.ts';
import {
  databaseTime,
  delayCut,
  findClock,
  insertBackup,
  keptAs,
  noteCut,
  noteDamage,
  noteFailure,
  noteSlow,
  spend,
} from '#features/backup/backup.ts';
import { aloneOnSite, goesOn } from '#features/hold/hold.ts';
import { findSiteById, recordSiteEvent, type SiteRow, updateSite } from '#features/instance/instance.ts';
import { PLANS } from '#features/plan/plan.ts';
import { findTeam } from '#features/team/team.ts';
import { HostUnreachable } from '#host/host-unreachable.ts';
import { type FailureCode, failedBy, TimeMachineFailure } from '#timemachine/failure.ts';
import { type CutReport, SHARED_MS } from '#timemachine/process/protocol.ts';

const FIRST_RETRY_MS = 30_000;
const LAST_RETRY_MS = 15 * 60_000;
/** Where the trouble is the platform's own, every site goes on as soon as it is over. */
const OWN_RETRY_MS = 60_000;
/** Whoever fails by these would keep others waiting: it gets a process and a lane of its own. */
const SUSPICIOUS: FailureCode[] = ['stalled', 'ended', 'too_slow'];
/** These tell of the site itself. */
const OF_SITE: FailureCode[] = [...SUSPICIOUS, 'lost_content', 'unreadable_database', 'unfinished_restore'];

/** A first backup of very much may take long; one that is given up again and again gets more time each time, and comes less often. */
const SUSPECT_MS = { first: 2 * 60_000, most: 25 * 60_000 };

/**
 * The backup of a minute. False where it is to be tried again soon: somebody else works on the site right now, or it takes too long where others wait.
 * With a `limitMs` it gets so much time at least, and nobody waits for it.
 */
export async function backUp(services: Services, siteId: string, limitMs = 0): Promise<boolean> {
  const taken = aloneOnSite(services, siteId, 0, async (signal) => {
    // A work that took the site since it was looked up may have left it half done, for its next attempt to finish.
    const site = await findSiteById(services.db, siteId);
    if (!site || !goesOn(site.busy)) return false;
    const begunAt = await databaseTime(services.db);
    const kept = await keptAs(services, site);
    const isSuspect = kept.isSuspect || limitMs > 0;
    try {
      const usualMs = kept.isSuspect ? await suspectMs(services.db, siteId) : SHARED_MS;
      const timed = { ...kept, isSuspect, limitMs: Math.max(usualMs, limitMs) };
      const cut = await services.hosts.snapshot(site, timed, { signal });
      await inTransaction(services.db, (tx) => recordCut(tx, site, cut, begunAt));
      if (cut.lostObjects > 0)
        services.log.error({ siteId, lostObjects: cut.lostObjects }, 'stored objects of a backup are lost');
    } catch (error) {
      // The platform's own trouble, and no word about the site.
      if (error instanceof HostUnreachable) return false;
      await countFailed(services.db, site, error);
      if (!kept.isSuspect && failedBy(error, 'too_slow')) {
        await noteSlow(services.db, siteId);
        return false;
      }
      await recordFailure(services, site, error as Error);
    }
    return true;
  });
  return taken.catch((error) => {
    if (error instanceof LockBusy) return false;
    throw error;
  });
}

async function suspectMs(db: Db, siteId: string): Promise<number> {
  const { failures = 0 } = (await findClock(db, siteId)) ?? {};
  return Math.min(SUSPECT_MS.first * 2 ** Math.min(failures, 10), SUSPECT_MS.most);
}

/** Writes down what was kept. The snapshot exists by itself; what a killed process did not write is written next time. */
export async function recordCut(db: Db, site: SiteRow, cut: CutReport, begunAt: Date): Promise<void> {
  for (const report of cut.unrecorded) await insertBackup(db, site, report);
  await insertBackup(db, site, cut.newest);
  const clock = await findClock(db, site.id);
  if (clock?.failed_event_id) await finishEvent(db, clock.failed_event_id, { recovered: true });
  await countStored(db, site, cut.storedBytes);
  await noteCut(db, site.id, begunAt, cut.tookMs);
  // Older restore points may need the lost objects, so backup-check checks each of them.
  if (cut.lostObjects > 0) await noteDamage(db, site.id);
  const { trackedTables, untrackedTables } = cut;
  // Where nothing had changed nothing was looked at.
  if (trackedTables.length === 0) return;
  if (isSame(trackedTables, site.tracked_tables) && isSame(untrackedTables, site.untracked_tables)) return;
  await updateSite(db, site.id, { tracked_tables: trackedTables, untracked_tables: untrackedTables });
}

/** Five times what the plan has at once, and as much again in the time that it keeps every minute: then backups come less often. */
const STORED_TIMES = 5;
const LONGEST_DELAY_MS = 24 * 3_600_000;

/** Also what came to nothing takes up room, until it is pruned. */
export async function countFailed(db: Db, site: SiteRow, error: unknown): Promise<void> {
  if (!(error instanceof TimeMachineFailure) || error.storedBytes === 0) return;
  await inTransaction(db, (tx) => countStored(tx, site, error.storedBytes));
}

/** What backups store counts for the team: whoever writes the same file anew every minute has fewer of them, and is told. */
async function countStored(db: Db, site: SiteRow, storedBytes: number): Promise<void> {
  const team = await findTeam(db, site.team_id);
  if (!team || storedBytes === 0) return;
  const { storage_bytes, restore_window_hours } = PLANS[team.plan_type_name];
  const allowed = STORED_TIMES * storage_bytes;
  const bytesPerSecond = allowed / (restore_window_hours * 3_600);
  const beyond = (await spend(db, site.team_id, storedBytes, bytesPerSecond)) - allowed;
  if (beyond <= 0) return;
  const delayMs = Math.min((beyond / bytesPerSecond) * 1000, LONGEST_DELAY_MS);
  if (!(await delayCut(db, site.id, delayMs))) return;
  await recordSiteEvent(db, null, site, {
    event_type: 'backup.delayed',
    activity: `The backups of ${site.fqdn} come less often: they have stored more than ${STORED_TIMES} times the plan's storage`,
    detail: { stored_bytes: storedBytes, delay_seconds: Math.round(delayMs / 1000) },
  });
}

const isSame = (a: string[], b: string[]) => JSON.stringify(a) === JSON.stringify(b);

/** The first failure is told, in an event that stays open until a backup succeeds. */
async function recordFailure(services: Services, site: SiteRow, error: Error): Promise<void> {
  const { db, log } = services;
  log.warn({ err: error, siteId: site.id }, 'a backup failed');
  const failure = reasonOf(error);
  await inTransaction(db, async (tx) => {
    const clock = await findClock(tx, site.id);
    if (!clock) return;
    const eventId =
      clock.failed_event_id ??
      (await recordSiteEvent(tx, null, site, {
        event_type: 'backup.failed',
        activity: `The backup of ${site.fqdn} failed`,
        detail: { failure },
        unfinished: true,
      }));
    const longestMs = failedBy(error, ...OF_SITE) ? LAST_RETRY_MS : OWN_RETRY_MS;
    const againAfterMs = Math.min(FIRST_RETRY_MS * 2 ** Math.min(clock.failures, 10), longestMs);
    await noteFailure(tx, site.id, failure, eventId, againAfterMs);
    if (failedBy(error, ...SUSPICIOUS)) await noteSlow(tx, site.id);
  });
}

const REASONS: Partial<Record<FailureCode, string>> = {
  lost_content: "The site's files are gone. Nothing was kept of that; a restore brings them back.",
  store_away:
    'The place where backups are kept can not be reached. They go on as soon as it can, and the ones before are kept.',
  no_room: 'The disk has no room for another backup. The ones before are kept.',
};

/** What the site's people may read of it: nothing of the machine or of the platform's own workings. */
function reasonOf(error: Error): string {
  if (!(error instanceof TimeMachineFailure)) return 'The platform could not write the backup down.';
  const plain = REASONS[error.code];
  if (plain !== undefined) return plain;
  return `The site could not be read: ${error.message.replaceAll(/'?\/[^\s']+'?/g, '…').slice(0, 300)}`;
}
