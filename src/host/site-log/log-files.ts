import type { Log } from '#core/log.ts';
import type { LogKind } from './entries.ts';
import { type ErrorGroups, groupErrors } from './error-groups.ts';
import { LogFolder } from './log-folder.ts';
import {
  endOf,
  type LogPage,
  type LogPlace,
  type LogQuery,
  type PlacedEntry,
  readBackwards,
  readOn,
} from './log-reader.ts';

const KEPT_DAYS = 7;
const SWEEP_MS = 3600 * 1000;

/** The logs of sites where they are kept: read, written and, after some days, removed. */
export class LogFiles {
  readonly #folder: LogFolder;
  readonly #log: Log;
  #sweepTimer: NodeJS.Timeout | undefined;

  constructor(folder: string, log: Log, keptDays = KEPT_DAYS) {
    this.#folder = new LogFolder(folder, keptDays);
    this.#log = log;
  }

  start(): void {
    this.#sweepTimer = setInterval(() => void this.sweep(), SWEEP_MS).unref();
    void this.sweep();
  }

  close(): void {
    clearInterval(this.#sweepTimer);
  }

  append(siteId: string, kind: LogKind, lines: string): Promise<void> {
    return this.#folder.append(siteId, kind, lines);
  }

  read(siteId: string, kind: LogKind, query: LogQuery): Promise<LogPage> {
    return readBackwards(this.#folder, siteId, kind, query);
  }

  groupErrors(siteId: string, sinceMs?: number): Promise<ErrorGroups> {
    return groupErrors(this.#folder, siteId, sinceMs);
  }

  endOf(siteId: string, kind: LogKind): Promise<LogPlace> {
    return endOf(this.#folder, siteId, kind);
  }

  readOn(siteId: string, kind: LogKind, after: LogPlace): Promise<{ entries: PlacedEntry[]; place: LogPlace }> {
    return readOn(this.#folder, siteId, kind, after);
  }

  remove(siteId: string): Promise<void> {
    return this.#folder.removeSite(siteId);
  }

  /** Removes what is too old, of sites too that write nothing any more. */
  async sweep(): Promise<void> {
    const sites = await this.#folder.sites().catch((error) => {
      this.#log.warn({ err: error }, 'old logs of sites could not be removed');
      return [];
    });
    // What stands in the way at one, or is no site's at all, is no reason to leave out the others.
    for (const siteId of sites)
      await this.#folder
        .removeOld(siteId)
        .catch((error) => this.#log.warn({ err: error, siteId }, 'the old log of a site could not be removed'));
  }
}
