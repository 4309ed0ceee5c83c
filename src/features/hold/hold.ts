import { setTimeout as sleep } from 'node:timers/promises';
import type { Db } from '#core/db/database.ts';
import { failure } from '#core/errors.ts';
import type { Services } from '#core/services.ts';
import {
  deleteEarlierProcesses,
  deleteHold,
  deleteOtherProcesses,
  deleteProcess,
  findPlace,
  GOES_ON,
  type HoldKind,
  insertHold,
  listDoors,
  listHolds,
  listUnanswered,
  noteProcess,
  type PlatformProcess,
  type UnansweredProcess,
  updateHold,
} from './hold.sql.ts';
import { hasEnded, heardEveryMs, SILENT_SECONDS } from './platform-process.ts';

/**
 * Exclusive work on a site, in four steps. The request *holds* the site, in the transaction of its change and its event. Every
 * process of the platform that could run the site's PHP ends it, starts none any more and says so (watch-holds.ts). Then
 * the job has the site to itself (`onHeldSite`), as often as it is tried. Its last transaction *releases* the site.
 */
export interface HeldWork {
  siteId: string;
  /** The event of the work. It tells this hold from one before and one after. */
  eventId: string;
}

export { type Hold, isHostAwake, isProcessOf, siteGoesOn } from './hold.sql.ts';
export { type HoldRecords, holdRecords } from './hold-records.ts';
export { thisProcess } from './platform-process.ts';
export type { HoldKind };

/** For a host that only one process at a time can have: whoever had it before is gone. */
export const succeed = (db: Db, host: string, processId: string): Promise<void> =>
  deleteOtherProcesses(db, host, processId);

/** More than ever are there of one host: the pod, one that ends, and what was killed before them. */
const PROCESSES_OF_A_POD = 8;

/** What somebody tells of a pod, who may tell anything and as often as they like: only so much of one host is remembered. */
export async function notePodProcess(db: Db, process: PlatformProcess & { host: string }): Promise<void> {
  if (await noteProcess(db, process)) await deleteEarlierProcesses(db, process.host, PROCESSES_OF_A_POD);
}

/** Waits until a process has let go of what a work holds. */
export async function letGo(db: Db, work: HeldWork, process: { host: string; id: string }): Promise<void> {
  const deadline = performance.now() + LET_GO_MS;
  for (; performance.now() < deadline; await sleep(LOOK_AGAIN_MS)) {
    const unanswered = await listUnanswered(db, work, process.host, SILENT_SECONDS);
    if (!unanswered.some(({ id }) => id === process.id)) return;
  }
  throw new Error('this process did not let go of a site');
}

/** The processes that have this host inside, and where they listen. */
export const findHostProcesses = (db: Db, host: string): ReturnType<typeof listDoors> =>
  listDoors(db, host, SILENT_SECONDS);

export const siteBusy = failure('site.busy', 409, 'The site is busy; try again when that is done.');

/** What people read of a kind. */
const WORDS: Record<HoldKind, string> = {
  creating: 'creating',
  staging: 'staging',
  committing: 'committing',
  updating: 'updating',
  restoring: 'restoring',
  returning: 'restoring',
  archiving: 'deleting',
  git_fetch: 'git_sync',
  git_sync: 'git_sync',
  git_check: 'git_sync',
  update_look: 'updating',
  update_check: 'updating',
};

/** Whether the site is used and looked after as ever: nothing is done to it, or only a copy of it is made. */
export const goesOn = (busy: HoldKind | null): boolean => busy === null || GOES_ON.some((kind) => kind === busy);

/** Whether none of the site's PHP may run. One that is being created is nobody's yet, and one that is being looked at has to. */
export const isFenced = (kind: HoldKind): boolean => !LOOKED_AT.includes(kind) && !goesOn(kind);
const LOOKED_AT: readonly HoldKind[] = ['creating', 'git_check', 'update_check'];

export const busyWord = (busy: HoldKind | null): string | null => busy && WORDS[busy];

/** One work at a time: whoever comes second is told what the first one is. */
export function requireIdle({ busy }: { busy: HoldKind | null }): void {
  if (busy === null) return;
  const word = WORDS[busy];
  throw siteBusy({ message: `The site is busy (${word}); try again when that is done.`, data: { busy: word } });
}

/** Takes the sites, all or none. The caller has locked their rows, where they have some. */
export async function hold(tx: Db, siteIds: readonly string[], kind: HoldKind, eventId: string): Promise<void> {
  // In one order, as everybody takes them.
  for (const siteId of [...siteIds].sort())
    if (!(await insertHold(tx, { site_id: siteId, event_id: eventId, kind }))) throw siteBusy();
}

/** Gives the site back. False where this very work has it no more: an attempt that came too late changes nothing. */
export function release(tx: Db, { siteId, eventId }: HeldWork): Promise<boolean> {
  return deleteHold(tx, siteId, eventId);
}

/** Goes on with the work in another way, such as letting nobody else in from now on. */
export async function holdAs(tx: Db, { siteId, eventId }: HeldWork, kind: HoldKind): Promise<void> {
  if (!(await updateHold(tx, siteId, eventId, kind))) throw new Error('another work has the site by now');
}

/** A backup that runs is waited for: it takes seconds, and minutes only for the first one of a big site. */
const STORAGE_WAIT_MS = 5 * 60_000;
/** Ending PHP takes seconds. Who needs longer is asked again with the next attempt of the job. */
const LET_GO_MS = 60_000;
const LOOK_AGAIN_MS = 50;

/** Does the work when nobody else runs, reads or writes the site. The signal says that this is so no longer. */
export async function onHeldSite<T>(
  services: Services,
  work: HeldWork,
  act: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  await everybodyLetGo(services, work);
  return aloneOnSite(services, work.siteId, STORAGE_WAIT_MS, act);
}

async function everybodyLetGo({ db, hosts }: Services, { siteId, eventId }: HeldWork): Promise<void> {
  const deadline = performance.now() + LET_GO_MS;
  const place = await findPlace(db, siteId);
  const isGone = goneOnes();
  for (;;) {
    const [hold] = await listHolds(db, [siteId]);
    if (hold?.event_id !== eventId) throw new Error('another work has the site by now');
    const unanswered = await listUnanswered(db, { siteId, eventId }, place?.host, SILENT_SECONDS);
    const gone = unanswered.filter(isGone);
    // What they started may have outlived them.
    if (place && gone.length > 0) await hosts.endOrphans(place);
    for (const { id } of gone) await deleteProcess(db, id);
    const others = unanswered.filter((each) => !gone.includes(each));
    if (others.length === 0) return;
    if (performance.now() > deadline) {
      const names = others.map(({ machine, pid }) => `${pid} on ${machine}`).join(', ');
      throw new Error(`processes of the platform did not let go of the site: ${names}`);
    }
    await sleep(LOOK_AGAIN_MS);
  }
}

/**
 * Who was killed here, or is silent. When the database's clock is set forward everybody looks silent, until they are heard of again: so
 * silence counts only where we have listened to it for a while ourselves.
 */
function goneOnes(): (process: UnansweredProcess) => boolean {
  const heard = new Map<string, { seenAt: number; sinceMs: number }>();
  return (process) => {
    const seenAt = process.seen_at.getTime();
    const known = heard.get(process.id);
    const sinceMs = known?.seenAt === seenAt ? known.sinceMs : performance.now();
    heard.set(process.id, { seenAt, sinceMs });
    return hasEnded(process) || (process.is_silent && performance.now() - sinceMs > 2 * heardEveryMs(process.host));
  };
}

/** One at a time looks at or changes what is on disk of a site; LockBusy where another one takes longer than `waitMs`. */
export function aloneOnSite<T>(
  { locks }: Pick<Services, 'locks'>,
  siteId: string,
  waitMs: number,
  act: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  return locks.alone(`storage of site ${siteId}`, waitMs, act);
}
