import { availableParallelism } from 'node:os';
import type { Log } from '#core/log.ts';
import { mayBePutToSleep, nextInTurn, turnMs, whoIsEnded } from '#runtimes/turns/fair-turns.ts';
import { Leaving } from '#runtimes/turns/leaving.ts';
import type { Ground, Waiting } from '#runtimes/turns/places.ts';
import type { Pressure } from '#runtimes/turns/pressure.ts';
import type { KnownSite } from './process-supply.ts';
import type { StandbyWorkers } from './standby-workers.ts';
import type { WarmRunners } from './warm-runners.ts';
import type { WorkerProcess } from './worker-process.ts';
import type { Workers } from './workers.ts';

export interface RoomOptions {
  workers: Workers;
  standby: StandbyWorkers;
  runners: WarmRunners;
  pressure: Pressure;
  sites(): KnownSite[];
  /** Those that may be ended. */
  commands(): { worker: WorkerProcess; team: string; spentMs: number; isRead: boolean }[];
  putToSleep(siteId: string): Promise<void>;
  log: Log;
}

/** Where memory is short: so many sites start at a time. */
const STARTS_AT_ONCE = availableParallelism();
/** A start that takes longer holds up no other. */
const START_LIMIT_MS = 10_000;
const STARTS_REMEMBERED = 8;
const USUAL_START_MS = 5_000;
/** What takes longer is a page that takes long. */
const LONGEST_START_MS = 15_000;

/** What goes where memory is needed, least needed first (docs/decisions/0018, 0048). */
export class MakingRoom implements Ground {
  readonly #options: RoomOptions;
  readonly leaving = new Leaving();
  /** What starts took lately, from the room that was given to the first answer. */
  #startMs = USUAL_START_MS;

  constructor(options: RoomOptions) {
    this.#options = options;
  }

  get startMs(): number {
    return this.#startMs;
  }

  /** The site has given an answer. From the first one on it is its turn. */
  answered(known: KnownSite): void {
    if (known.startingSince === undefined) return;
    known.since = performance.now();
    const tookMs = Math.min(known.since - known.startingSince, LONGEST_START_MS);
    this.#startMs += (tookMs - this.#startMs) / STARTS_REMEMBERED;
    known.startingSince = undefined;
  }

  hasPlace(): boolean {
    const { workers, standby } = this.#options;
    if (workers.isClosed) return true;
    return (workers.room > 0 || standby.count > 0) && this.#mayStart;
  }

  giveWay(claim: Waiting, waiting: number): Promise<unknown> | undefined {
    // Nobody goes before somebody can come in their place.
    const isTooEarly = this.#starting + this.leaving.soon >= STARTS_AT_ONCE || this.#options.workers.room > 0;
    if (this.#options.pressure.isTooSmall() && isTooEarly) return undefined;
    const now = performance.now();
    const turn = turnMs(this.#serving.length, waiting, this.#startMs);
    return this.#send(this.#dropUnused(turn, now)) ?? this.shrink() ?? this.#send(this.#endTurn(claim, turn, now));
  }

  endBusy(claim: Waiting, now: number): Promise<unknown> | undefined {
    const { workers, sites, commands, pressure, log } = this.#options;
    const requests = sites().flatMap(({ id, team, site }) => site.busy.map((each) => ({ ...each, team, siteId: id })));
    const busy = [...requests, ...commands()].filter(({ worker }) => worker.failure === undefined);
    const ended = whoIsEnded(claim, busy, workers.held, now);
    if (!ended) return undefined;
    pressure.ended++;
    log.info({ worker: ended.worker.pid, team: ended.team, for: claim.team }, 'what took long was ended for others');
    ended.worker.kill('yielded', 'It took long while others waited, and was ended for them.');
    return ended.worker.closed;
  }

  /** Has one extra process leave, when it is done with what it does; one after another. */
  shrink(): Promise<unknown> | undefined {
    const sites = this.#options.sites().map(({ site }) => site);
    if (sites.some((site) => site.isShrinking)) return undefined;
    const [largest] = sites.filter((site) => site.extraCount > 0).sort((a, b) => b.extraCount - a.extraCount);
    return this.#send(largest?.shrink());
  }

  /** Where the processes have grown beyond what there is, what nobody uses goes, and then the largest of them all. */
  keepWithinBudget(): void {
    const { workers, standby } = this.#options;
    // What leaves already may be enough.
    if (workers.usedBytes <= workers.budgetBytes || this.leaving.soon > 0) return;
    if (this.#send(this.#dropUnused(0, performance.now())) ?? this.shrink() ?? this.#send(standby.drop())) return;
    const largest = workers.largestGrown;
    largest?.kill('memory', 'The site used more memory than the machine has left.');
    this.#send(largest?.closed);
  }

  #send(left: Promise<unknown> | undefined): Promise<void> | undefined {
    return left && this.leaving.add(left);
  }

  /** Several that start side by side on a busy machine all take as long as all of them together. */
  get #mayStart(): boolean {
    return !this.#options.pressure.isTooSmall() || this.#starting < STARTS_AT_ONCE;
  }

  get #starting(): number {
    const now = performance.now();
    // Where nobody waits for its answer any more, it holds up nobody.
    const isStarting = ({ site, startingSince }: KnownSite) =>
      startingSince !== undefined && now - startingSince < START_LIMIT_MS && !site.isIdle;
    return this.#options.sites().filter(isStarting).length;
  }

  /** Those that have a process, with the time at which their turn began: never before their first answer. */
  get #serving(): KnownSite[] {
    return this.#options
      .sites()
      .filter(({ site }) => site.isServing)
      .map((known) => (known.startingSince === undefined ? known : { ...known, since: Number.POSITIVE_INFINITY }));
  }

  #dropUnused(turn: number, now: number): Promise<unknown> | undefined {
    const { runners, sites, putToSleep, log } = this.#options;
    const runner = runners.drop();
    if (runner) return runner;
    const [idleExtra] = sites()
      .flatMap(({ site }) => (site.extraIdleSince === undefined ? [] : [{ site, idleSince: site.extraIdleSince }]))
      .sort((a, b) => a.idleSince - b.idleSince);
    if (idleExtra) return idleExtra.site.shrink();
    const [idle] = this.#serving
      .filter(({ site, since }) => site.isIdle && mayBePutToSleep({ lastUsedAt: site.lastUsedAt, since }, turn, now))
      .sort((a, b) => a.site.lastUsedAt - b.site.lastUsedAt);
    // Where it could not be ended, the next one is.
    return idle && putToSleep(idle.id).catch((error) => log.warn({ err: error }, 'a site could not be stopped'));
  }

  #endTurn(claim: Waiting, turn: number, now: number): Promise<unknown> | undefined {
    return nextInTurn(claim, this.#serving, this.#options.workers.held, turn, now)?.site.yield();
  }
}
