import type { Services } from '#core/services.ts';
import { deleteProcess, type Hold, insertAnswer, listHolds, noteProcess } from './hold.sql.ts';
import { HEARD_EVERY_MS, thisProcess } from './platform-process.ts';

export interface HoldWatch {
  /**
   * Calls back with each site whose row changed, and with undefined when anything may have. What is held by then is fenced
   * here, and what was released can be started.
   */
  subscribe(changed: (siteId: string | undefined) => void): Promise<void>;
  /** To be called when no PHP of this process runs any more. */
  close(): Promise<void>;
}

/** Lets go of whatever some work takes, for as long as this process runs sites. To be called before it runs any. */
export async function watchHolds(services: Services): Promise<HoldWatch> {
  const watch = new Watch(services);
  await watch.start();
  return watch;
}

/** A site that this process has let go of, or is about to. */
interface Fence {
  eventId: string;
  /** Opens the site again; undefined while its PHP is being ended. */
  resume: (() => void) | undefined;
  isOver: boolean;
}

class Watch implements HoldWatch {
  readonly #services: Services;
  readonly #process = thisProcess();
  readonly #fences = new Map<string, Fence>();
  readonly #subscribers: ((siteId: string | undefined) => void)[] = [];
  /** What to look at next: these sites; all of them, to be sure; all of them, since others missed what we missed. */
  #changed = new Set<string>();
  #isTimeForAll = false;
  #mayHaveMissed = false;
  #looking: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(services: Services) {
    this.#services = services;
  }

  async start(): Promise<void> {
    const { db, listener } = this.#services;
    // Known before it looks: a work that is begun after the look waits for this process.
    await noteProcess(db, this.#process);
    await listener.on('site_changed', (siteId) => {
      this.#changed.add(siteId);
      this.#look();
    });
    listener.onReconnect(() => {
      this.#mayHaveMissed = true;
      this.#look();
    });
    const lookAtAll = () => {
      this.#isTimeForAll = true;
      this.#look();
    };
    this.#timer = setInterval(lookAtAll, HEARD_EVERY_MS);
    lookAtAll();
    await this.#looking;
  }

  async subscribe(changed: (siteId: string | undefined) => void): Promise<void> {
    this.#subscribers.push(changed);
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    this.#timer = undefined;
    await this.#looking;
    const { db, log } = this.#services;
    // Whoever can not say good-bye is not heard of any more, which comes to the same.
    await deleteProcess(db, this.#process.id).catch((error) =>
      log.warn({ err: error }, 'could not say that this process ends'),
    );
  }

  /** One look at a time, for all that was announced since the last one began. */
  #look(): void {
    this.#looking ??= this.#lookAtAll()
      .catch((error) => {
        this.#services.log.warn({ err: error }, 'could not see which sites are held');
        // With the next sign of life.
        this.#mayHaveMissed = true;
      })
      .finally(() => {
        this.#looking = undefined;
      });
  }

  async #lookAtAll(): Promise<void> {
    const { db } = this.#services;
    while (this.#timer && (this.#changed.size > 0 || this.#mayHaveMissed || this.#isTimeForAll)) {
      const changed = this.#mayHaveMissed ? [undefined] : [...this.#changed];
      const isForAll = this.#mayHaveMissed || this.#isTimeForAll;
      this.#changed = new Set();
      this.#isTimeForAll = false;
      this.#mayHaveMissed = false;
      // Nobody may know of us any more.
      if (isForAll) await noteProcess(db, this.#process);
      const siteIds = isForAll ? undefined : (changed as string[]);
      this.#apply(siteIds, await listHolds(db, siteIds));
      for (const siteId of changed) for (const tell of this.#subscribers) tell(siteId);
    }
  }

  #apply(siteIds: readonly string[] | undefined, holds: readonly Hold[]): void {
    // A site that is being created is nobody's yet.
    const held = new Map(holds.filter(({ kind }) => kind !== 'creating').map((hold) => [hold.site_id, hold]));
    for (const siteId of siteIds ?? [...this.#fences.keys()]) if (!held.has(siteId)) this.#open(siteId);
    for (const hold of held.values()) this.#fence(hold);
  }

  #open(siteId: string): void {
    const fence = this.#fences.get(siteId);
    if (!fence) return;
    this.#fences.delete(siteId);
    fence.isOver = true;
    fence.resume?.();
  }

  #fence(hold: Hold): void {
    const known = this.#fences.get(hold.site_id);
    if (known) {
      // The next work has it already; nothing was started in between.
      known.eventId = hold.event_id;
      if (known.resume) void this.#answer(hold);
      return;
    }
    const fence: Fence = { eventId: hold.event_id, resume: undefined, isOver: false };
    this.#fences.set(hold.site_id, fence);
    this.#services.runtime.suspend(hold.site_id).then(
      (resume) => {
        if (fence.isOver) return resume();
        fence.resume = resume;
        return this.#answer({ ...hold, event_id: fence.eventId });
      },
      (error) => {
        this.#services.log.warn({ err: error, siteId: hold.site_id }, 'could not let go of a site; trying again');
        if (this.#fences.get(hold.site_id) === fence) this.#fences.delete(hold.site_id);
      },
    );
  }

  async #answer(hold: Hold): Promise<void> {
    try {
      await insertAnswer(this.#services.db, hold, this.#process.id);
    } catch (error) {
      this.#services.log.warn({ err: error, siteId: hold.site_id }, 'could not say that a site was let go of');
    }
  }
}
