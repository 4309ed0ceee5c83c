import type { Services } from '#core/services.ts';
import type { SiteStatus } from '#runtimes/runtime.ts';
import { announcePurge } from './edge.sql.ts';
import { writeStatuses } from './told-by-sites.sql.ts';

/** Sites tell often; what they tell is written together. */
const GATHER_MS = 500;

/** Carries what running sites tell by themselves to where the platform keeps it. */
export function listenToSites(services: Services): void {
  const { db, log, localHost, siteLog } = services;
  const failed = (what: string) => (error: unknown) => log.warn({ err: error }, what);
  const statuses = gather<SiteStatus>((entries) =>
    writeStatuses(db, entries).catch(failed('could not keep what sites told of themselves')),
  );
  localHost?.listen({
    changed: ({ id }) => void announcePurge(db, id).catch(failed('could not tell of changed pages')),
    logged: (site, errors) => {
      for (const error of errors) siteLog.error(site, error);
    },
    status: ({ id }, status) => statuses(id, status),
  });
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
