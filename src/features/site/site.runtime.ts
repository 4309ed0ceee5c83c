import type { Services } from '#core/services.ts';
import type { RouteSource, RouteState } from '#edge/route.ts';
import type { SiteStatus } from '#runtimes/runtime.ts';
import { announcePurge } from './site.edge.sql.ts';
import { deliverSiteMail } from './site-mail.jobs.ts';
import { writeStatuses } from './site-upkeep.sql.ts';

/** Sites tell often; what they tell is written together. */
const GATHER_MS = 500;
/** A site that mails without a pause has its mail fetched so often, and not with each message. */
const MAIL_AGAIN_MS = 10_000;

/** Carries what running sites tell by themselves to where the platform keeps it. */
export function listenToSites(services: Services): void {
  const { db, log, localHost, jobs, siteLog } = services;
  const failed = (what: string) => (error: unknown) => log.warn({ err: error }, what);
  const statuses = gather<SiteStatus>((entries) =>
    writeStatuses(db, entries).catch(failed('could not keep what sites told of themselves')),
  );
  const askForMail = throttle((siteId) => {
    jobs.enqueueOnce(db, deliverSiteMail, { siteId }, siteId).catch(failed('could not ask for mail to be sent'));
  });
  localHost?.listen({
    changed: ({ id }) => void announcePurge(db, id).catch(failed('could not tell of changed pages')),
    mail: ({ id }) => askForMail(id),
    logged: (site, errors) => {
      for (const error of errors) siteLog.error(site, error);
    },
    status: ({ id }, status) => statuses(id, status),
  });
}

const SERVED: ReadonlySet<RouteState | undefined> = new Set(['ready', 'creating', 'held']);

/**
 * Ends the processes of a site that sleeps, is suspended or is gone. Whoever put it to sleep may be another process of the
 * platform than the one that runs it. What some work has to itself was ended by then (watch-holds.ts).
 */
export async function stopRetiredSites({ localHost, log }: Services, routes: RouteSource): Promise<void> {
  const stopIfRetired = async (siteId: string) => {
    const [route] = await routes.load(siteId);
    // Also one whose processes are only starting.
    if (!SERVED.has(route?.state)) await localHost?.stopHere(siteId);
  };
  await routes.subscribe((siteId) => {
    if (siteId === undefined) return;
    stopIfRetired(siteId).catch((error) => log.warn({ err: error, siteId }, 'could not stop a site'));
  });
}

/** Acts at once for a site that was quiet, and on whatever else it tells no sooner than the pause allows. */
function throttle(act: (siteId: string) => void): (siteId: string) => void {
  /** The sites within their pause; true for those that told something meanwhile. */
  const pausing = new Map<string, boolean>();
  const actAndPause = (siteId: string) => {
    pausing.set(siteId, false);
    act(siteId);
    setTimeout(() => {
      if (pausing.get(siteId)) actAndPause(siteId);
      else pausing.delete(siteId);
    }, MAIL_AGAIN_MS).unref();
  };
  return (siteId) => {
    if (pausing.has(siteId)) pausing.set(siteId, true);
    else actAndPause(siteId);
  };
}

/** Keeps the newest value of each site for a moment and hands them on together. */
function gather<T>(handOn: (entries: Map<string, T>) => unknown): (siteId: string, value: T) => void {
  let entries = new Map<string, T>();
  let timer: NodeJS.Timeout | undefined;
  return (siteId, value) => {
    entries.set(siteId, value);
    timer ??= setTimeout(() => {
      timer = undefined;
      const gathered = entries;
      entries = new Map();
      handOn(gathered);
    }, GATHER_MS);
    timer.unref();
  };
}
