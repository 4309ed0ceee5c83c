import type { Services } from '#core/services.ts';
import type { SiteStatus } from '#runtimes/runtime.ts';

/** Sites tell often; what they tell is written together. */
const GATHER_MS = 500;

/** Where the platform keeps what sites tell: its database, or, in the pod of a site, the platform itself, which is told. */
export interface ToldRecords {
  purged(siteId: string): Promise<void>;
  statuses(statuses: ReadonlyMap<string, SiteStatus>): Promise<void>;
}

/** Carries what running sites tell by themselves to where the platform keeps it. */
export function listenToSites(
  { log, localHost, siteLog }: Pick<Services, 'log' | 'localHost' | 'siteLog'>,
  records: ToldRecords,
): void {
  const failed = (what: string) => (error: unknown) => log.warn({ err: error }, what);
  const statuses = gather<SiteStatus>((entries) =>
    records.statuses(entries).catch(failed('could not keep what sites told of themselves')),
  );
  localHost?.listen({
    changed: ({ id }) => void records.purged(id).catch(failed('could not tell of changed pages')),
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
