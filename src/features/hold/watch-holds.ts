import type { Services } from '#core/services.ts';
import type { Hold, PlatformProcess } from './hold.sql.ts';
import { isFenced } from './hold.ts';
import type { HoldRecords } from './hold-records.ts';
import { isTimeToSay, LOOK_EVERY_MS, thisProcess } from './platform-process.ts';

const TRY_AGAIN_MS = 500;

/** Of a process, whether it has a database or not. */
type WatchingProcess = Pick<Services, 'processId' | 'log' | 'localHost' | 'siteChanges'>;

/**
 * Lets go of whatever some work takes, and tells whoever serves sites here which one's record changed (`siteChanges`): by then
 * what is held is fenced, and what was released can be started. To be called before this process runs any site; the
 * returned function, when none of its PHP runs any more.
 */
export async function watchHolds(services: WatchingProcess, records: HoldRecords): Promise<() => Promise<void>> {
  const watch = new Watch(services, records);
  await watch.start();
  return () => watch.close();
}

/** A site that this process has let go of, or is about to. */
interface Fence {
  eventId: string;
  /** Opens the site again; undefined while its PHP is being ended. */
  resume: (() => void) | undefined;
  /** What is being said of it. */
  saying: Promise<void>;
}

class Watch {
  readonly #services: WatchingProcess;
  readonly #records: HoldRecords;
  readonly #fences = new Map<string, Fence>();
  /** What to look at next: the sites that were announced, or all. */
  #announced = new Set<string>();
  #isTimeForAll = false;
  /** Announcements are lost, so that whoever listens to us has to look at everything too. */
  #hasMissed = false;
  #looking: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #said: { process: PlatformProcess; atMs: number };
  #isClosed = false;

  constructor(services: WatchingProcess, records: HoldRecords) {
    this.#services = services;
    this.#records = records;
    this.#said = { process: thisProcess(services), atMs: Number.NEGATIVE_INFINITY };
  }

  async start(): Promise<void> {
    // Known before it looks: a work that is begun after the look waits for this process.
    await this.#announce();
    await this.#records.follow(
      (siteId) => {
        this.#announced.add(siteId);
        this.#begin();
      },
      () => {
        this.#hasMissed = true;
        this.#begin();
      },
    );
    // Nothing may be run here before it is known what is held.
    await this.#lookAt(undefined);
    this.#timer = setInterval(() => {
      const { process, atMs } = this.#said;
      if (!isTimeToSay(thisProcess(this.#services), process, performance.now() - atMs)) return;
      this.#isTimeForAll = true;
      this.#begin();
    }, LOOK_EVERY_MS);
    this.#begin();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#timer);
    await this.#looking;
    const { log, processId } = this.#services;
    // Whoever can not say good-bye is not heard of any more, which comes to the same.
    await this.#records
      .leave(processId)
      .catch((error) => log.warn({ err: error }, 'could not say that this process ends'));
  }

  /** One look at a time, so that an older one never comes after a newer one. */
  #begin(): void {
    if (!this.#timer) return;
    this.#looking ??= this.#look()
      .catch((error) => {
        this.#services.log.warn({ err: error }, 'could not see which sites are held; trying again');
        setTimeout(() => this.#begin(), TRY_AGAIN_MS).unref();
      })
      .finally(() => {
        this.#looking = undefined;
      });
  }

  async #look(): Promise<void> {
    while (!this.#isClosed && (this.#announced.size > 0 || this.#isTimeForAll || this.#hasMissed)) {
      const [announced, isTimeForAll, hasMissed] = [this.#announced, this.#isTimeForAll, this.#hasMissed];
      this.#announced = new Set();
      this.#isTimeForAll = false;
      this.#hasMissed = false;
      try {
        await this.#lookAt(isTimeForAll || hasMissed ? undefined : [...announced]);
      } catch (error) {
        for (const siteId of announced) this.#announced.add(siteId);
        this.#isTimeForAll ||= isTimeForAll;
        this.#hasMissed ||= hasMissed;
        throw error;
      }
      for (const siteId of hasMissed ? [undefined] : announced) this.#services.siteChanges.tell(siteId);
    }
  }

  async #announce(): Promise<void> {
    const process = thisProcess(this.#services);
    await this.#records.announce(process);
    this.#said = { process, atMs: performance.now() };
  }

  async #lookAt(siteIds: readonly string[] | undefined): Promise<void> {
    // Others may have taken us for gone.
    if (siteIds === undefined) await this.#announce();
    const holds = await this.#records.list(siteIds);
    const fenced = holds.filter(({ kind }) => isFenced(kind));
    const held = new Map(fenced.map((hold) => [hold.site_id, hold]));
    for (const siteId of siteIds ?? [...this.#fences.keys()]) if (!held.has(siteId)) await this.#open(siteId);
    for (const hold of held.values()) this.#fence(hold);
  }

  /** The same work may fence it again: by then nothing of this fence is still to be said. */
  async #open(siteId: string): Promise<void> {
    const fence = this.#fences.get(siteId);
    this.#fences.delete(siteId);
    await fence?.saying;
    fence?.resume?.();
  }

  #fence(hold: Hold): void {
    const { site_id: siteId, event_id: eventId } = hold;
    const before = this.#fences.get(siteId);
    if (before?.eventId === eventId) {
      if (before.resume) before.saying = this.#answer(hold);
      return;
    }
    const fence: Fence = { eventId, resume: undefined, saying: Promise.resolve() };
    this.#fences.set(siteId, fence);
    // Also where the work before this one had it: what that has left running ends.
    const suspended = this.#suspend(siteId).finally(() => before?.resume?.());
    suspended.then(
      (resume) => {
        if (this.#fences.get(siteId) !== fence) return resume();
        fence.resume = resume;
        fence.saying = this.#answer(hold);
        return fence.saying;
      },
      (error) => {
        this.#services.log.warn({ err: error, siteId }, 'could not let go of a site; trying again');
        if (this.#fences.get(siteId) === fence) this.#fences.delete(siteId);
      },
    );
  }

  /** Where no site is run here there is nothing to end. */
  async #suspend(siteId: string): Promise<() => void> {
    return (await this.#services.localHost?.suspend(siteId)) ?? (() => {});
  }

  async #answer(hold: Hold): Promise<void> {
    try {
      await this.#records.answer(hold, this.#services.processId);
    } catch (error) {
      this.#services.log.warn({ err: error, siteId: hold.site_id }, 'could not say that a site was let go of');
    }
  }
}
