import type { SiteSpec } from '#runtimes/runtime.ts';
import { mayBePutToSleep, nextInTurn, turnMs } from '#runtimes/turns/fair-turns.ts';
import { Leaving } from '#runtimes/turns/leaving.ts';
import { type Claim, type Ground, Places, type Waiting } from '#runtimes/turns/places.ts';
import type { Pressure } from '#runtimes/turns/pressure.ts';
import type { FpmSite } from './fpm-site.ts';

/** A site that is awake, and what it has of the memory. */
export interface KnownSite {
  spec: SiteSpec;
  site: FpmSite;
  /** As last measured. */
  memoryBytes: number;
  /** Since when there is room for its PHP, and since when that can answer. */
  placedAt: number | undefined;
  readyAt: number | undefined;
}

export interface FpmTurnsOptions {
  memoryBudgetBytes: number;
  /** Those that are awake, and those on their way out. */
  sites(): Iterable<KnownSite>;
  putToSleep(siteId: string): Promise<void>;
  pressure: Pressure;
}

/** What a site takes with its first pages. It counts as much until it has had time to show what it takes itself. */
const FIRST_BYTES = 96 * 1024 * 1024;
const FRESH_MS = 5_000;
/** A turn is never shorter, however quickly PHP starts; and as it does start quickly, never so long that a visitor leaves meanwhile. */
const LEAST_TURN_MS = 1_000;
const LONGEST_TURN_MS = 10_000;
const STARTS_REMEMBERED = 8;
const LONGEST_START_MS = 15_000;
/** So long requests may go on when the turn of their site is over. */
const LAST_WORDS_MS = 8_000;
const YIELDED = 'It took long while others waited, and was ended for them.';

/**
 * Who may start PHP where memory is short (docs/decisions/0048 has the idea, 0069 what differs here). Whoever finds no room waits in a row; for the
 * first of them the site goes to sleep that was used longest ago, and where all are at work, one whose turn is over.
 */
export class FpmTurns implements Ground {
  readonly leaving = new Leaving();
  readonly places: Places;
  readonly #options: FpmTurnsOptions;
  #startMs = LEAST_TURN_MS;

  constructor(options: FpmTurnsOptions) {
    this.#options = options;
    this.places = new Places(this, options.pressure);
  }

  get startMs(): number {
    return Math.max(LEAST_TURN_MS, this.#startMs);
  }

  get usedBytes(): number {
    return [...this.#options.sites()].reduce((sum, { memoryBytes }) => sum + memoryBytes, 0);
  }

  /** Starts PHP for a site when there is room for it. */
  start<T>(known: KnownSite, signal: AbortSignal, start: () => Promise<T>): Promise<T> {
    const { spec, site } = known;
    // What it had, if any, has ended: it does not wait for itself.
    leavePlace(known);
    const claim: Claim = { key: spec.id, team: spec.team, isWanted: () => site.awake.isWanted, signal };
    return this.places.take(claim, async () => {
      const grantedAt = performance.now();
      known.placedAt = grantedAt;
      try {
        const started = await start();
        known.readyAt = performance.now();
        const tookMs = Math.min(known.readyAt - grantedAt, LONGEST_START_MS);
        this.#startMs += (tookMs - this.#startMs) / STARTS_REMEMBERED;
        return started;
      } catch (error) {
        leavePlace(known);
        throw error;
      }
    });
  }

  /** The first one may always, whatever it takes. */
  hasPlace(): boolean {
    const placed = [...this.#options.sites()].filter(({ placedAt }) => placedAt !== undefined);
    const takenBytes = placed.reduce((sum, known) => sum + countedBytes(known), 0);
    return placed.length === 0 || takenBytes + FIRST_BYTES <= this.#options.memoryBudgetBytes;
  }

  giveWay(claim: Waiting, waiting: number): Promise<unknown> | undefined {
    const now = performance.now();
    const serving = this.#serving;
    const turn = Math.min(LONGEST_TURN_MS, turnMs(serving.length, waiting, this.startMs));
    const [idle] = serving
      .flatMap(({ spec, site, since }) => {
        const lastUsedAt = site.awake.idleSince;
        const mayGo = lastUsedAt !== undefined && mayBePutToSleep({ lastUsedAt, since }, turn, now);
        return mayGo ? [{ id: spec.id, lastUsedAt }] : [];
      })
      .sort((a, b) => a.lastUsedAt - b.lastUsedAt);
    if (idle) return this.leaving.add(this.#options.putToSleep(idle.id));
    const next = nextInTurn(claim, serving, this.#held, turn, now);
    return next && this.leaving.add(this.#endTurn(next.known));
  }

  /** The end of a turn is the end of what takes long. */
  endBusy(): undefined {
    return undefined;
  }

  async #endTurn(known: KnownSite): Promise<void> {
    // It is asked once.
    known.readyAt = undefined;
    this.#options.pressure.ended += await known.site.rest(LAST_WORDS_MS, YIELDED, () => leavePlace(known));
  }

  get #serving(): (KnownSite & { known: KnownSite; team: string; since: number })[] {
    return [...this.#options.sites()].flatMap((known) =>
      known.readyAt === undefined || known.site.isLeaving
        ? []
        : [{ ...known, known, team: known.spec.team, since: known.readyAt }],
    );
  }

  get #held(): Map<string, number> {
    const held = new Map<string, number>();
    for (const known of this.#options.sites())
      held.set(known.spec.team, (held.get(known.spec.team) ?? 0) + countedBytes(known));
    return held;
  }
}

function leavePlace(known: KnownSite): void {
  Object.assign(known, { placedAt: undefined, readyAt: undefined, memoryBytes: 0 });
}

function countedBytes({ placedAt, readyAt, memoryBytes }: KnownSite): number {
  if (placedAt === undefined) return memoryBytes;
  const isFresh = performance.now() - (readyAt ?? placedAt) < FRESH_MS;
  return isFresh ? Math.max(memoryBytes, FIRST_BYTES) : memoryBytes;
}
