import { createHash } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { failedBy } from '../failure.ts';
import type { MergeReport } from '../merge/merge-report.ts';
import type { DatabaseDescription } from '../sources/open-database.ts';
import type { StoreDescription } from '../stores/open-store.ts';
import type { QueueState } from '../stores/store.ts';
import { type CallOptions, HelperProcess } from './helper-process.ts';
import { KeptReader } from './kept-reader.ts';
import {
  type CallName,
  type Calls,
  type CheckedSnapshots,
  type CopyOrigin,
  type CopyPlace,
  type CutReport,
  type Difference,
  type DifferenceList,
  type Laying,
  type MergeWish,
  type PlanReport,
  type Recovery,
  type RestoreWish,
  rehearsalFolder,
  SHARED_MS,
  type SitePlace,
  type SnapshotName,
  type Window,
} from './protocol.ts';
import type { TellRules, ToldChanges } from './tell-rules.ts';
import { Uploads } from './uploads.ts';

/** A site that comes no further for so long is given up; others wait for the process. */
const SILENCE_MS = 60_000;
/** Telling what changed is worth no more: a pair that takes longer is not told. */
const TELL_SILENCE_MS = 20_000;
/** A process that nobody needed for so long ends: while some site is remembered, and while none is. */
const IDLE_MS = { some: 5 * 60_000, none: 20_000 };

/**
 * The time machine as the platform uses it. Whatever opens a site's database or takes long runs in processes of its own:
 * snapshots in a few that stay and remember what they saw, everything else in one that ends with its work.
 *
 * It takes no lock: the caller sees to it that nobody else works on the same site.
 */
export class TimeMachine {
  /** What is kept, for whoever wants to see it. */
  readonly kept: KeptReader;
  /** What is on its way to a store that is far away; undefined where a put is where it belongs at once. */
  readonly uploads: Uploads | undefined;
  readonly #store: StoreDescription;
  readonly #residents: HelperProcess[];
  /** The sites that a resident remembers. */
  readonly #known = new Set<string>();
  /** Tells what became of sites. It has a process of its own, so that no backup waits for it. */
  readonly #teller: HelperProcess;
  readonly #others = new Set<HelperProcess>();
  readonly #timer: NodeJS.Timeout;
  #lastComparison: Promise<unknown> = Promise.resolve();

  constructor(options: {
    store: StoreDescription;
    processes: number;
    idleMs?: typeof IDLE_MS;
    onQueue?: (queue: QueueState, before: QueueState) => void;
  }) {
    this.#store = options.store;
    if (options.store.kind === 's3' && options.store.queue)
      this.uploads = new Uploads(options.store, options.onQueue ?? (() => {}));
    this.kept = new KeptReader(options.store);
    this.#teller = new HelperProcess(options.store, 'nice');
    this.#residents = Array.from({ length: options.processes }, () => new HelperProcess(options.store, 'nice'));
    const { idleMs = IDLE_MS } = options;
    this.#timer = setInterval(() => this.#endIdle(idleMs), idleMs.none).unref();
  }

  snapshot(place: SitePlace, options?: CallOptions): Promise<CutReport> {
    return this.#look('snapshot', place, [place], options);
  }

  /** What a restore would do to the site as it is now, with a part of the list of it; the site is kept as it is, and nothing is changed. */
  plan(
    place: SitePlace,
    wish: RestoreWish,
    window: Window,
    options?: CallOptions,
  ): Promise<PlanReport<CutReport | null> & { list: DifferenceList }> {
    return this.#look('plan', place, [place, wish, window], options);
  }

  /** What it would have done to the site as it was at `now`; the site itself is not looked at. */
  compare(
    from: Pick<SitePlace, 'space' | 'site' | 'rules'>,
    now: SnapshotName,
    wish: RestoreWish,
    window: Window,
  ): Promise<{ difference: Difference; list: DifferenceList }> {
    return this.#residentOf(from.site).call('compare', [from, now, wish, window], { silenceMs: SILENCE_MS });
  }

  /** What became of a site between snapshots, for people (protocol.ts). Whoever waits for it comes before whoever does not. */
  tell(
    from: Pick<SitePlace, 'space' | 'site' | 'rules'>,
    pairs: readonly (readonly [SnapshotName, SnapshotName])[],
    rules: TellRules,
    isPatient: boolean,
  ): Promise<(ToldChanges | null)[]> {
    return this.#teller.call('tell', [from, pairs, rules], { silenceMs: TELL_SILENCE_MS, isPatient });
  }

  /** Whoever serves the site keeps visitors out, from before this is called until it has succeeded or `recover` has. */
  async restore(place: SitePlace, wish: RestoreWish | MergeWish, options?: CallOptions): Promise<PlanReport> {
    await this.release(place.site);
    return this.#alone('restore', [place, wish], options);
  }

  /** Puts all of the site's tables into a database of the other kind, in place of what is there; nobody may use the site meanwhile. */
  async move(place: SitePlace, into: DatabaseDescription, options?: CallOptions): Promise<CutReport> {
    await this.release(place.site);
    return this.#alone('move', [place, into], options);
  }

  /** What a merge would bring to the site as it was at `now`, and what the site has got since its copy was made. */
  compareCopy(
    from: Pick<SitePlace, 'space' | 'site' | 'rules' | 'database' | 'staging'>,
    now: SnapshotName,
    wish: MergeWish,
    window: Window,
  ): Promise<MergeReport> {
    const compare = () =>
      this.#alone('compareCopy', [from, { hash: now.hash, timeMs: now.timeMs }, wish, window], {}, 'nice');
    // One after the other, for it may take much memory, and whoever wants to see the next page asks again.
    const report = this.#lastComparison.then(compare);
    this.#lastComparison = report.catch(() => {});
    return report;
  }

  /** Does the same to a copy of the site as it was at `now`, which is thrown away. The site itself is not touched. */
  rehearse(
    place: SitePlace,
    wish: RestoreWish,
    now: SnapshotName | null,
    name: string,
    options?: CallOptions,
  ): Promise<void> {
    return this.#alone('rehearse', [place, wish, now && { hash: now.hash, timeMs: now.timeMs }, name], options);
  }

  /** What a rehearsal that was killed left behind. */
  discardRehearsal(place: Pick<SitePlace, 'staging'>, name: string): Promise<void> {
    return rm(rehearsalFolder(place, name), { recursive: true, force: true });
  }

  async recover(place: SitePlace): Promise<Recovery> {
    await this.release(place.site);
    return this.#alone('recover', [place]);
  }

  /** Makes a new copy of the site as it was. */
  async copy(from: CopyOrigin, point: SnapshotName, into: CopyPlace, options?: CallOptions): Promise<void> {
    await this.#residentOf(from.site).remember(from.site, SILENCE_MS);
    return this.#alone('copy', [from, point, into], options);
  }

  /** Lays files over the site; what `restore` asks of its caller goes for this too, and `recover` ends it. */
  async deploy(place: SitePlace, laying: Laying, options?: CallOptions): Promise<PlanReport> {
    await this.release(place.site);
    return this.#alone('deploy', [place, laying], options);
  }

  prune(wish: Parameters<Calls['prune']>[0]): Promise<ReturnType<Calls['prune']>> {
    return this.#alone('prune', [wish], { silenceMs: null });
  }

  check(...args: Parameters<Calls['check']>): Promise<ReturnType<Calls['check']>> {
    return this.#alone('check', args, { silenceMs: null }, 'nice');
  }

  checkSite(space: string, site: string): Promise<CheckedSnapshots> {
    return this.#alone('checkSite', [space, site], { silenceMs: null }, 'nice');
  }

  /** Removes a site's snapshots; what only they needed is freed by the next prunes. */
  async forget(space: string, site: string): Promise<void> {
    await this.release(site);
    await this.#alone('forget', [space, site]);
  }

  /** Lets go of all that is open of a site. */
  release(site: string): Promise<void> {
    this.#known.delete(site);
    return this.#residentOf(site).release(site);
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await Promise.all([this.kept, this.#teller, ...this.#residents, ...this.#others].map((helper) => helper.close()));
    await this.uploads?.close();
  }

  async #look<Name extends 'snapshot' | 'plan'>(
    name: Name,
    place: SitePlace,
    args: Parameters<Calls[Name]>,
    options?: CallOptions,
  ): Promise<ReturnType<Calls[Name]>> {
    if (!place.isSuspect) {
      const [, ...others] = args;
      const limited = [{ limitMs: SHARED_MS, ...place }, ...others] as Parameters<Calls[Name]>;
      this.#known.add(place.site);
      try {
        const isPatient = place.limitMs !== undefined;
        return await this.#residentOf(place.site).call(name, limited, { silenceMs: SILENCE_MS, isPatient, ...options });
      } catch (error) {
        if (!failedBy(error, 'too_slow') || place.limitMs !== undefined) throw error;
      } finally {
        this.uploads?.soon();
      }
    }
    await this.release(place.site);
    return this.#alone(name, args, options);
  }

  async #alone<Name extends CallName>(
    name: Name,
    args: Parameters<Calls[Name]>,
    options?: CallOptions,
    isNice?: 'nice',
  ) {
    const helper = new HelperProcess(this.#store, isNice);
    this.#others.add(helper);
    try {
      return await helper.call(name, args, { silenceMs: SILENCE_MS, ...options });
    } finally {
      this.#others.delete(helper);
      this.uploads?.soon();
      await helper.close();
    }
  }

  /** Always the same one, for it remembers the site. */
  #residentOf(site: string): HelperProcess {
    const number = createHash('sha256').update(site).digest().readUInt32LE(0);
    return this.#residents[number % this.#residents.length] as HelperProcess;
  }

  #endIdle(idleMs: typeof IDLE_MS): void {
    const limitMs = this.#known.size > 0 ? idleMs.some : idleMs.none;
    const ending = [this.kept, this.#teller, ...this.#residents].filter((helper) => helper.idleMs > limitMs);
    for (const helper of ending) void helper.close();
    for (const site of this.#known) if (ending.includes(this.#residentOf(site))) this.#known.delete(site);
    if (this.uploads && this.uploads.idleMs > limitMs) void this.uploads.rest();
  }
}
