import type { Services } from '#core/services.ts';
import { dueKinds, postpone, takeDueSites, touchLatest, touchSites } from '#features/backup/backup.ts';
import { backUp } from './cut.ts';

export { backUp, recordCut } from './cut.ts';
export { cutHeld, cutNow } from './cut-now.ts';

const TICK_MS = 1_000;
const GATHER_MS = 5_000;

interface Lane {
  isSuspect: boolean;
  places: number;
  /** So many of them one team has at most. */
  mostOfTeam: number;
}

/** Those that took long lately, or came to no end, have processes of their own, and places of their own: nobody else waits for them. */
const SUSPECTS: Lane = { isSuspect: true, places: 2, mostOfTeam: 1 };

/**
 * Takes the backups that are due. Each site has its own minute, which begins with its last cut, so the work spreads by
 * itself; what was missed while nothing ran is simply overdue. Any number of processes may do this side by side.
 */
export class BackupClock {
  readonly #services: Services;
  readonly #running = new Map<string, { work: Promise<unknown>; isSuspect: boolean }>();
  #timer: NodeJS.Timeout | undefined;
  #tick: Promise<unknown> = Promise.resolve();

  constructor(services: Services) {
    this.#services = services;
  }

  start(): void {
    this.#timer = setInterval(() => this.#next(), TICK_MS);
  }

  /** Lets what is running finish. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    this.#timer = undefined;
    await this.#tick;
    await Promise.all([...this.#running.values()].map(({ work }) => work));
  }

  #next(): void {
    this.#tick = this.#tick
      .then(() => this.#takeDue())
      .catch((error) => this.#services.log.warn({ err: error }, 'could not see which backups are due'));
  }

  async #takeDue(): Promise<void> {
    if (!this.#timer) return;
    const { backupProcesses } = this.#services.config;
    // One runs in each process of the time machine, and one waits, so that none of them idles.
    const places = 2 * backupProcesses;
    const due = await dueKinds(this.#services.db);
    if (due.has(false)) await this.#fill({ isSuspect: false, places, mostOfTeam: places });
    if (due.has(true)) await this.#fill(SUSPECTS);
  }

  async #fill({ isSuspect, places, mostOfTeam }: Lane): Promise<void> {
    const { db, log } = this.#services;
    const running = [...this.#running].filter(([, each]) => each.isSuspect === isSuspect).map(([siteId]) => siteId);
    const free = places - running.length;
    if (free <= 0) return;
    for (const siteId of await takeDueSites(db, free, { isSuspect, running, mostOfTeam })) {
      const work = this.#backUp(siteId)
        .catch((error) => log.warn({ err: error, siteId }, 'a backup could not be recorded'))
        .finally(() => {
          this.#running.delete(siteId);
          // There may be more than one tick's worth.
          if (this.#timer) this.#next();
        });
      this.#running.set(siteId, { work, isSuspect });
    }
  }

  async #backUp(siteId: string): Promise<void> {
    if (!(await backUp(this.#services, siteId))) await postpone(this.#services.db, siteId);
  }
}

/** Where it is written down which sites ran something: in the database, or, in the pod of a site, by telling the platform. */
export interface TouchRecords {
  touch(siteIds: string[]): Promise<void>;
  /** Those on this host whose last runs may not have been written down. */
  touchLatest(longestRunSeconds: number): Promise<void>;
}

export const touchRecords = ({ db, localHost }: Pick<Services, 'db' | 'localHost'>): TouchRecords => ({
  touch: (siteIds) => touchSites(db, siteIds),
  touchLatest: async (seconds) => localHost && touchLatest(db, localHost.name, seconds),
});

/** What an `exec` may take at most; a request's time is in the configuration. */
const LONGEST_EXEC_SECONDS = 300;

/**
 * Writes down which sites ran something: a quiet one's at once, and what busy ones do again together every few seconds. To
 * be called by whoever runs PHP, before it runs any. Returns what writes down the rest at the end.
 */
export async function listenToTouches(
  { config, localHost, log }: Pick<Services, 'config' | 'localHost' | 'log'>,
  records: TouchRecords,
): Promise<() => Promise<void>> {
  let now = new Set<string>();
  let later = new Set<string>();
  /** The sites that were written down within the last pause. */
  let recent = new Set<string>();
  const write = async () => {
    const sites = now;
    now = new Set();
    if (sites.size === 0) return;
    for (const site of sites) recent.add(site);
    try {
      await records.touch([...sites]);
    } catch (error) {
      for (const site of sites) later.add(site);
      log.warn({ err: error }, 'could not note which sites ran');
    }
  };
  const writeAll = () => {
    now = new Set([...now, ...later]);
    later = new Set();
    recent = new Set();
    return write();
  };
  await records.touchLatest(Math.max(config.phpTimeoutSeconds, LONGEST_EXEC_SECONDS));
  const timer = setInterval(writeAll, GATHER_MS);
  localHost?.listen({
    touched({ id }) {
      if (recent.has(id)) return void later.add(id);
      if (now.size === 0) setImmediate(write);
      now.add(id);
    },
    // Whoever takes its last backup then takes it of all that ran.
    stopped: writeAll,
  });
  return () => {
    clearInterval(timer);
    return writeAll();
  };
}
