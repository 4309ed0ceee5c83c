import type { Log } from '#core/log.ts';
import { CollectedLines } from './collected-lines.ts';
import { type ErrorEntry, errorLine, type LogKind, type VisitEntry, visitLine } from './entries.ts';
import { LogFolder } from './log-folder.ts';
import { type BackwardsQuery, endOf, type LogPlace, type PlacedEntry, readBackwards, readOn } from './log-reader.ts';

/**
 * What went wrong in sites and who visited them, for their owners. Nobody who tells something waits for a disk: lines are
 * collected in memory, within bounds, and written about once a second (docs/decisions/0020).
 */
const FLUSH_MS = 1_000;
const SWEEP_MS = 3600 * 1000;
/** So many logs are written at a time, so that files of visitors do not have to wait behind hundreds. */
const WRITES_AT_ONCE = 2;
const KB = 1024;

export class SiteLog {
  readonly #folder: LogFolder;
  readonly #log: Log;
  readonly #collected = {
    error: new CollectedLines({ siteBytes: 128 * KB, ownBytes: 16 * KB, allBytes: 16 * KB ** 2, noun: 'errors' }),
    access: new CollectedLines({ siteBytes: 256 * KB, ownBytes: 16 * KB, allBytes: 32 * KB ** 2, noun: 'visits' }),
  } satisfies Record<LogKind, CollectedLines>;
  #flushing: Promise<void> = Promise.resolve();
  #isFlushing = false;
  #flushTimer: NodeJS.Timeout | undefined;
  #sweepTimer: NodeJS.Timeout | undefined;

  constructor(folder: string, log: Log) {
    this.#folder = new LogFolder(folder);
    this.#log = log;
  }

  start(): void {
    this.#flushTimer = setInterval(() => {
      // A disk that takes longer than that is not asked twice; the bounds hold meanwhile.
      if (!this.#isFlushing) void this.flush();
    }, FLUSH_MS).unref();
    this.#sweepTimer = setInterval(() => void this.sweep(), SWEEP_MS).unref();
    void this.sweep();
  }

  async close(): Promise<void> {
    clearInterval(this.#flushTimer);
    clearInterval(this.#sweepTimer);
    await this.flush();
  }

  error(siteId: string, entry: ErrorEntry): void {
    this.#collected.error.add(siteId, () => errorLine(entry));
  }

  visit(siteId: string, entry: VisitEntry): void {
    this.#collected.access.add(siteId, () => visitLine(entry));
  }

  /** Writes what was collected; resolves when all of it is on disk or lost. */
  flush(): Promise<void> {
    this.#flushing = this.#flushing.then(() => this.#write());
    return this.#flushing;
  }

  read(
    siteId: string,
    kind: LogKind,
    query: BackwardsQuery,
  ): Promise<{ entries: PlacedEntry[]; next?: LogPlace | undefined }> {
    return readBackwards(this.#folder, siteId, kind, query);
  }

  endOf(siteId: string, kind: LogKind): Promise<LogPlace> {
    return endOf(this.#folder, siteId, kind);
  }

  readOn(siteId: string, kind: LogKind, after: LogPlace): Promise<{ entries: PlacedEntry[]; place: LogPlace }> {
    return readOn(this.#folder, siteId, kind, after);
  }

  /** Removes all of a site's log. */
  async remove(siteId: string): Promise<void> {
    for (const collected of Object.values(this.#collected)) collected.forget(siteId);
    await this.#flushing;
    await this.#folder.removeSite(siteId);
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

  async #write(): Promise<void> {
    this.#isFlushing = true;
    const work = (['error', 'access'] as const).flatMap((kind) =>
      [...this.#collected[kind].take()].map(([siteId, lines]) => ({ siteId, kind, lines })),
    );
    const next = work.values();
    const failures: unknown[] = [];
    const writeAll = async () => {
      for (const { siteId, kind, lines } of next) {
        await this.#folder.append(siteId, kind, lines).catch((error) => failures.push(error));
      }
    };
    await Promise.all(Array.from({ length: WRITES_AT_ONCE }, writeAll));
    this.#isFlushing = false;
    // Whatever is wrong with the disk, a log is nothing to stop for, and waiting for a better time would fill the memory.
    if (failures.length > 0)
      this.#log.warn({ err: failures[0], logs: failures.length }, 'lines of sites’ logs are lost');
  }
}
