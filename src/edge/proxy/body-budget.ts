import type { Log } from '#core/log.ts';
import { SiteFailure } from '#runtimes/runtime.ts';
import type { EdgeLimits } from '../limits.ts';

/** A body that is on its way, or is there and waits for the site. */
export interface WaitingBody {
  /** Whose it is: an address, or what counts as one. */
  readonly from: string;
  readonly sizeBytes: number;
  /** Somebody still sends it. */
  readonly isArriving: boolean;
  /** Whoever sends it is told that they were too slow, and what it took is given back at once. */
  endAsSlow(): void;
}

type BodyLimits = Pick<
  EdgeLimits,
  'allBodiesBytes' | 'siteBodiesBytes' | 'addressBodiesBytes' | 'addressBodies' | 'slowestBodyBytes' | 'bodyLookMs'
>;

/** Who sends less a second than this makes way where others need the room. */
const UNHURRIED_BYTES = 64 * 1024;
/** So many looks in a row at which a body was too slow end it, whether anybody needs the room or not. */
const SLOW_LOOKS = 3;
/** Who is refused so often, while something of theirs is there, is named in the log. */
const MANY_REFUSALS = 20;

interface Watched {
  budget: BodyBudget;
  seenBytes: number;
  /** In bytes a second, at the last look; unknown before the first. */
  rate: number | undefined;
  slowLooks: number;
}

interface Address {
  bodies: number;
  /** Those that somebody still sends. */
  arriving: number;
  bytes: number;
  refusals: number;
}

/**
 * What the bodies of all visitors take while they wait. One site has a share of it, and so has one address. Where it is used up, who sends slowly
 * makes way for whoever comes, the address first that has most; and whoever is slower than any line ends in any case.
 */
export class AllBodies {
  readonly #limits: BodyLimits;
  readonly #bodies = new Map<WaitingBody, Watched>();
  readonly #addresses = new Map<string, Address>();
  readonly #log: Pick<Log, 'warn'>;
  #usedBytes = 0;
  #timer: NodeJS.Timeout | undefined;
  #lookedAt = performance.now();

  constructor(limits: BodyLimits, log: Pick<Log, 'warn'>) {
    this.#limits = limits;
    this.#log = log;
  }

  ofSite(): BodyBudget {
    return new BodyBudget(this.#limits.siteBodiesBytes, this);
  }

  add(body: WaitingBody, budget: BodyBudget): void {
    const { addressBodies, bodyLookMs } = this.#limits;
    const there = this.#addresses.get(body.from) ?? { bodies: 0, arriving: 0, bytes: 0, refusals: 0 };
    if (there.arriving >= addressBodies) this.#refuse(body.from, 'too much comes from there');
    there.bodies++;
    there.arriving++;
    this.#addresses.set(body.from, there);
    this.#bodies.set(body, { budget, seenBytes: 0, rate: undefined, slowLooks: 0 });
    if (this.#timer) return;
    this.#lookedAt = performance.now();
    this.#timer = setInterval(() => this.#look(), bodyLookMs).unref();
  }

  /** Nobody sends it any more: it is whole, or was given up. */
  arrived({ from }: WaitingBody): void {
    const there = this.#addresses.get(from);
    if (there) there.arriving--;
  }

  remove(body: WaitingBody): void {
    this.#bodies.delete(body);
    const there = this.#addresses.get(body.from);
    if (there && --there.bodies === 0) this.#addresses.delete(body.from);
    if (this.#bodies.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  take(body: WaitingBody, bytes: number): void {
    const { addressBodiesBytes, allBodiesBytes } = this.#limits;
    if (this.#bytesOf(body.from) + bytes > addressBodiesBytes)
      this.#refuse(body.from, 'too much is being sent from there');
    while (this.#usedBytes + bytes > allBodiesBytes) this.makeRoom(body);
    this.#count(body, bytes);
  }

  giveBack(body: WaitingBody, bytes: number): void {
    this.#count(body, -bytes);
  }

  /** Ends a body that comes slowly, of one site or of any; fails where there is none. */
  makeRoom(wanting: WaitingBody, site?: BodyBudget): void {
    const [slow] = [...this.#bodies]
      .filter(([body, { budget }]) => body !== wanting && body.isArriving && (!site || budget === site))
      .filter(([{ sizeBytes }, { rate }]) => sizeBytes > 0 && rate !== undefined && rate < UNHURRIED_BYTES)
      .map(([body]) => ({ body, fromThere: this.#bytesOf(body.from) }))
      .sort((a, b) => b.fromThere - a.fromThere || b.body.sizeBytes - a.body.sizeBytes);
    if (!slow) throw new SiteFailure('overload', 'too much is being sent');
    slow.body.endAsSlow();
  }

  #look(): void {
    const now = performance.now();
    const seconds = (now - this.#lookedAt) / 1000;
    this.#lookedAt = now;
    for (const [body, watched] of this.#bodies) {
      watched.rate = (body.sizeBytes - watched.seenBytes) / seconds;
      watched.seenBytes = body.sizeBytes;
      watched.slowLooks = watched.rate < this.#limits.slowestBodyBytes ? watched.slowLooks + 1 : 0;
      if (watched.slowLooks >= SLOW_LOOKS && body.isArriving) body.endAsSlow();
    }
  }

  #refuse(from: string, why: string): never {
    const there = this.#addresses.get(from);
    if (there && ++there.refusals === MANY_REFUSALS)
      this.#log.warn({ from, why }, 'one address is refused again and again');
    throw new SiteFailure('overload', why);
  }

  #count({ from }: WaitingBody, bytes: number): void {
    this.#usedBytes += bytes;
    const there = this.#addresses.get(from);
    if (there) there.bytes += bytes;
  }

  #bytesOf(from: string): number {
    return this.#addresses.get(from)?.bytes ?? 0;
  }
}

/** What the bodies that wait for one site may take. */
export class BodyBudget {
  readonly #limitBytes: number;
  readonly all: AllBodies;
  #usedBytes = 0;

  constructor(limitBytes: number, all: AllBodies) {
    this.#limitBytes = limitBytes;
    this.all = all;
  }

  take(body: WaitingBody, bytes: number): void {
    while (this.#usedBytes + bytes > this.#limitBytes) this.all.makeRoom(body, this);
    this.all.take(body, bytes);
    this.#usedBytes += bytes;
  }

  giveBack(body: WaitingBody, bytes: number): void {
    this.all.giveBack(body, bytes);
    this.#usedBytes -= bytes;
  }
}
