import type { Log } from '#core/log.ts';
import type { SiteHost, SiteRef } from '../site-host.ts';
import { CollectedLines } from './collected-lines.ts';
import { type ErrorEntry, errorLine, type LogKind, type VisitEntry, visitLine } from './entries.ts';

/**
 * What went wrong in sites and who visited them, on the way to their logs. Nobody who tells something waits for a disk: lines are
 * collected in memory, within bounds, and written about once a second (docs/decisions/0020).
 */
const FLUSH_MS = 1_000;
/** So many logs are written at a time, so that files of visitors do not have to wait behind hundreds. */
const WRITES_AT_ONCE = 2;
const KB = 1024;

export class SiteLog {
  readonly #host: Pick<SiteHost, 'appendLog'>;
  readonly #log: Log;
  readonly #collected = {
    error: new CollectedLines({ siteBytes: 128 * KB, ownBytes: 16 * KB, allBytes: 16 * KB ** 2, noun: 'errors' }),
    access: new CollectedLines({ siteBytes: 256 * KB, ownBytes: 16 * KB, allBytes: 32 * KB ** 2, noun: 'visits' }),
  } satisfies Record<LogKind, CollectedLines>;
  #flushing: Promise<void> = Promise.resolve();
  #isFlushing = false;
  #flushTimer: NodeJS.Timeout | undefined;

  constructor(host: Pick<SiteHost, 'appendLog'>, log: Log) {
    this.#host = host;
    this.#log = log;
  }

  start(): void {
    this.#flushTimer = setInterval(() => {
      // A disk that takes longer than that is not asked twice; the bounds hold meanwhile.
      if (!this.#isFlushing) void this.flush();
    }, FLUSH_MS).unref();
  }

  async close(): Promise<void> {
    clearInterval(this.#flushTimer);
    await this.flush();
  }

  error(site: SiteRef, entry: ErrorEntry): void {
    this.#collected.error.add(site, () => errorLine(entry));
  }

  visit(site: SiteRef, entry: VisitEntry): void {
    this.#collected.access.add(site, () => visitLine(entry));
  }

  /** Writes what was collected; resolves when all of it is on disk or lost. */
  flush(): Promise<void> {
    this.#flushing = this.#flushing.then(() => this.#write());
    return this.#flushing;
  }

  /** What waits to be written of a site goes; resolves when nothing of it is on its way any more. */
  async forget(siteId: string): Promise<void> {
    for (const collected of Object.values(this.#collected)) collected.forget(siteId);
    await this.#flushing;
  }

  async #write(): Promise<void> {
    this.#isFlushing = true;
    const work = (['error', 'access'] as const).flatMap((kind) =>
      this.#collected[kind].take().map(({ site, lines }) => ({ site, kind, lines })),
    );
    const next = work.values();
    const failures: unknown[] = [];
    const writeAll = async () => {
      for (const { site, kind, lines } of next) {
        await this.#host.appendLog(site, kind, lines).catch((error) => failures.push(error));
      }
    };
    await Promise.all(Array.from({ length: WRITES_AT_ONCE }, writeAll));
    this.#isFlushing = false;
    // Whatever is wrong with the disk, a log is nothing to stop for, and waiting for a better time would fill the memory.
    if (failures.length > 0)
      this.#log.warn({ err: failures[0], logs: failures.length }, 'lines of sites’ logs are lost');
  }
}
