import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { storageIn } from '#runtimes/folders/site-folder.ts';
import { ApiError, type Client, type PitRestore, type Site } from '#sdk';
import { eventually } from '#testkit/expect.ts';
import type { Random } from '#testkit/random.ts';
import { type Halves, KnownSite, restored, type State, textOf } from './known-site.ts';
import type { MortalPlatform } from './mortal-platform.ts';
import { Showing } from './visitor.ts';

const WAIT_MS = 120_000;
/** For a second the edge takes a file to be as it was; nobody promises more of what is edited from outside. */
const NOTICED_MS = 1_200;

/** A moment that can be brought back, and what it must bring. */
interface Point {
  time: string;
  state: State;
}

/** Edits one site, has it backed up, and restores it, one after the other; and knows at all times what it must be like. */
export class RestoringOwner {
  readonly showing = new Showing();
  readonly done: Record<string, number> = {};
  /** What each backup of which that is known must bring back. */
  readonly states = new Map<string, State>();
  /** Every backup that the API ever listed. */
  readonly listed = new Set<string>();
  readonly #platform: MortalPlatform;
  readonly #api: Client;
  readonly #random: Random;
  readonly #site: KnownSite;
  readonly site: Site;
  readonly #points: Point[] = [];
  readonly #knownRestores = new Set<string>();

  constructor(platform: MortalPlatform, api: Client, site: Site, folder: string, random: Random) {
    this.#platform = platform;
    this.#api = api;
    this.site = site;
    this.#random = random;
    this.#site = new KnownSite(storageIn(folder), `http://${site.fqdn}:${new URL(platform.url).port}`, random);
    this.showing.allow([this.#site.read().page]);
  }

  async run(stop: AbortSignal, beforeRestore: () => Promise<void> | undefined): Promise<void> {
    await this.#backUp();
    while (!stop.aborted) {
      if (this.#points.length < 2 || this.#random.below(3) === 0) await this.#edit();
      const choice = this.#random.below(8);
      if (choice === 0) await this.#dryRun();
      if (choice === 1) await this.#preview();
      await beforeRestore();
      const { before, undoPoint } = (await this.#restore(this.#random.pick(this.#points), this.#halves())) ?? {};
      if (!before || !undoPoint || this.#random.below(3) > 0) continue;
      // Undoing is restoring all of the point that the record names.
      await this.#restore({ time: undoPoint, state: before }, { files: true, tables: true, deleteExtraFiles: true });
      this.#count('undone');
    }
  }

  /** Restores all of a point for good, with nobody in the way. */
  async restoreLast(): Promise<void> {
    await this.#restore(this.#points[0] as Point, { files: true, tables: true, deleteExtraFiles: true });
  }

  async #edit(): Promise<void> {
    this.showing.allow('anything');
    for (let edits = 1 + this.#random.below(2); edits > 0; edits--) this.#site.edit();
    await Promise.all([this.#backUp(), sleep(NOTICED_MS)]);
    this.showing.allow([this.#site.read().page]);
  }

  /** The minute is over: the clock takes the backup that is due. */
  async #backUp(): Promise<void> {
    const { id, fqdn } = this.site;
    const [touched] = await this.#platform.rows(
      'update backup_clocks set touched_at = clock_timestamp() where site_id = $1 returning touched_at',
      [id],
    );
    await eventually(async () => {
      const [clock] = await this.#platform.rows('select cut_at >= $2 as is_cut from backup_clocks where site_id = $1', [
        id,
        touched?.touched_at,
      ]);
      if (clock?.is_cut === true) return true;
      // A backup that was running, or that was killed, puts the next one off by minutes, for which nobody waits here.
      await this.#platform.rows('update backup_clocks set due_at = least(due_at, now()) where site_id = $1', [id]);
      await sleep(1_000);
      return false;
    }, WAIT_MS);
    const backups = await this.#persist(() =>
      this.#api.getBackups({ params: { fqdn }, query: { number_to_fetch: 100 } }),
    );
    assert.ok(Array.isArray(backups) && backups[0]);
    for (const { commit_hash } of backups) this.listed.add(commit_hash);
    const [{ commit_hash: hash, created_at }] = backups;
    const state = this.#site.read();
    const known = this.states.get(hash);
    if (known) assert.deepEqual(state, known, 'a backup that stands for another state than its own');
    else this.#points.push({ time: String(created_at), state });
    this.states.set(hash, state);
    this.#count('backups');
  }

  /** Whether the site was ever really like this. */
  wasEver(state: State): boolean {
    return this.#site.pages.has(textOf(state.page));
  }

  async #restore(
    point: Point,
    { files, tables, deleteExtraFiles }: Halves,
  ): Promise<{ before: State; undoPoint: string | undefined } | undefined> {
    const { fqdn } = this.site;
    const before = this.#site.read();
    const after = restored(before, point.state, { files, tables, deleteExtraFiles });
    this.showing.allow([before.page, after.page]);
    this.#site.pages.add(textOf(after.page));
    const body = {
      restore_point: point.time,
      restore_db: tables,
      restore_cms_content: files,
      delete_extra_files: deleteExtraFiles,
    };
    const id = await this.#begin(() => this.#api.createPitRestore({ params: { fqdn }, body }));
    if (id === undefined) return void this.showing.allow([before.page]);
    const record = await this.#ended(id);
    const state = this.#site.read();
    const site = await this.#persist(() => this.#api.getSite({ params: { fqdn } }));
    assert.equal(site.busy, null, 'the restore has ended and the site is busy');
    // A restore that failed may have been finished all the same, but never by half.
    const isAsBefore = record.failed_reason !== null && isSame(state, before);
    if (!isAsBefore) assert.deepEqual(state, after, `${fqdn}: not what the point was, restore ${id}`);
    this.showing.allow([state.page]);
    this.#site.had(state.page);
    this.#count(record.failed_reason === null ? 'restored' : 'failed');
    return { before, undoPoint: record.failed_reason === null ? String(record.undo_point) : undefined };
  }

  async #dryRun(): Promise<void> {
    const point = this.#random.pick(this.#points);
    const body = { restore_point: point.time, is_dry_run: true, delete_extra_files: true };
    if (await this.#begin(() => this.#api.createPitRestore({ params: { fqdn: this.site.fqdn }, body })))
      this.#count('dry runs');
  }

  /** The counters, and a copy of the site to look at; whatever becomes of it. */
  async #preview(): Promise<void> {
    const body = { restore_point: this.#random.pick(this.#points).time };
    await this.#api
      .previewPitRestore({ params: { fqdn: this.site.fqdn }, query: { browse: this.#random.below(2) === 0 }, body })
      .then(
        () => this.#count('previews'),
        () => this.#platform.isUp(),
      );
  }

  /** The id of the record that the request made; undefined where it made none. */
  async #begin(ask: () => Promise<PitRestore>): Promise<string | undefined> {
    try {
      const { id } = await ask();
      this.#knownRestores.add(id);
      return id;
    } catch (error) {
      if (error instanceof ApiError && error.status < 500) throw error;
      await this.#platform.isUp();
    }
    // The answer was lost, maybe with the request.
    const found = await this.#platform.rows('select id from pit_restores where site_id = $1', [this.site.id]);
    const id = found.map((row) => String(row.id)).find((each) => !this.#knownRestores.has(each));
    if (id !== undefined) this.#knownRestores.add(id);
    this.#count('in doubt');
    return id;
  }

  #ended(id: string): Promise<PitRestore> {
    const params = { fqdn: this.site.fqdn, pit_restore_id: id };
    return eventually(async () => {
      // Retries are minutes apart in the end, for which nobody waits here.
      await this.#platform.rows(
        "update jobs.job set start_after = now() + interval '2 seconds' where start_after > now() + interval '3 seconds' and state = 'retry'",
      );
      const record = (await this.#persist(() => this.#api.getPitRestore({ params }))) as PitRestore;
      return record.finished_at !== null && record;
    }, WAIT_MS);
  }

  /** Asks until there is an answer. */
  async #persist<T>(ask: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await ask();
      } catch (error) {
        if (error instanceof ApiError && error.status < 500) throw error;
        await sleep(50);
        await this.#platform.isUp();
      }
    }
  }

  #halves(): Halves {
    const half = this.#random.below(5);
    return { files: half !== 0, tables: half !== 1, deleteExtraFiles: this.#random.below(2) === 0 };
  }

  #count(what: string): void {
    this.done[what] = (this.done[what] ?? 0) + 1;
  }
}

const isSame = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);
