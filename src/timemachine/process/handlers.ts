import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { SiteState } from '../archive/survey.ts';
import { failedBy, TimeMachineFailure } from '../failure.ts';
import { check, checkSite } from '../maintenance/checker.ts';
import { forgetSite, prune } from '../maintenance/pruner.ts';
import { reportMerge } from '../merge/merge-report.ts';
import { mergingBy } from '../merge/merge-rules.ts';
import type { OnProgress } from '../progress.ts';
import type { Repository, SiteRepository } from '../repository.ts';
import { layFiles } from '../restore/lay-files.ts';
import { restoreInto } from '../restore/restore-into.ts';
import { outdatedPlan, planRestore, type RestorePlan, restore } from '../restore/restorer.ts';
import type { Snapshot } from '../snapshot.ts';
import { inWordsOf, moveTables } from '../sources/kinds/convert-tables.ts';
import { databaseOf } from '../sources/open-database.ts';
import { fleetingOperations } from '../stores/file-operations.ts';
import { EMPTY_QUEUE } from '../stores/store.ts';
import { copySite, fillDatabase } from './copy-site.ts';
import { type DescribedPlan, describePlan } from './difference.ts';
import { dumpHandler } from './dump-handlers.ts';
import { keepingBy } from './keep-rules.ts';
import { KeptSite } from './kept-site.ts';
import { assertWished, type LostSite, lookForLoss, mendedState, mendSite } from './lost-site.ts';
import { isMerge, planMergeOf, refusalOf } from './merge-site.ts';
import {
  type Calls,
  type CutReport,
  type MergeWish,
  type RestoreWish,
  rehearsalFolder,
  type SitePlace,
} from './protocol.ts';
import { readHandlers } from './read-handlers.ts';
import { recoverSite } from './recover-site.ts';
import { requireRoom } from './room.ts';
import { tellPairs } from './tell-changes.ts';

const OPEN_SITES = 100;

/** One call as it runs. */
export interface Conversation {
  onProgress: OnProgress;
  /** Tells what is about to be done and waits until that is written down, and lists of it what is asked for. */
  announce(now: CutReport | null, plan: DescribedPlan): Promise<void>;
  /** Contents that only the caller has, by their names. */
  want(names: string[]): Promise<Uint8Array[]>;
}

export type Handlers = {
  [Name in keyof Calls]: (
    conversation: Conversation,
    ...args: Parameters<Calls[Name]>
  ) => Promise<ReturnType<Calls[Name]>>;
};

/** What is done for each call, on one store. */
export function makeHandlers(repository: Repository): Handlers & { close(): Promise<void> } {
  /** The sites that were looked at last, the latest at the end. */
  const kept = new Map<string, KeptSite>();

  /** The site, with what is remembered of it. Work on one site comes one after another: whoever asks sees to that. */
  async function open(place: SitePlace): Promise<KeptSite> {
    const known = kept.get(place.site);
    if (known && !(await known.isCurrent(place))) await release(place.site);
    const site = kept.get(place.site) ?? (await KeptSite.open(repository, place));
    kept.delete(place.site);
    kept.set(place.site, site);
    const [oldest] = kept.keys();
    if (kept.size > OPEN_SITES && oldest !== undefined) await release(oldest);
    return site;
  }

  async function release(site: string): Promise<void> {
    const held = kept.get(site);
    kept.delete(site);
    await held?.close();
  }

  return {
    ...readHandlers(repository),
    dump: dumpHandler(repository),

    async snapshot({ onProgress }, place) {
      return (await (await open(place)).snapshot(place, onProgress)).cut;
    },

    release: (_, site) => release(site),

    async remember(_, site) {
      await kept.get(site)?.remember();
    },

    async plan({ onProgress }, place, wish, window) {
      const site = await open(place);
      const { cut, snapshot } = await site.snapshot(place, onProgress).catch(async (error) => {
        if (!failedBy(error, 'lost_content', 'unreadable_database')) throw error;
        // All that is left is read anew then, and others wait for this process.
        if (place.limitMs !== undefined) throw new TimeMachineFailure('too_slow', 'a part of the site is gone');
        const lost = await lookForLoss(site.repository, place, onProgress);
        if (!lost) throw error;
        assertWished(lost, wish);
        return { cut: null, snapshot: lost.remains };
      });
      const plan = await planFor(site.repository, snapshot, wish, place);
      const { difference, list } = describePlan(plan, site.keeping);
      return { now: cut, difference, list: list(window) };
    },

    async compare(_, { space, site, rules }, moment, wish, window) {
      const from = repository.site(space, site);
      const plan = await planFor(from, await from.readNamed(moment), wish, { rules });
      const { difference, list } = describePlan(plan, keepingBy(rules));
      return { difference, list: list(window) };
    },

    tell: (_, { space, site, rules: keep }, pairs, rules) =>
      tellPairs(repository.site(space, site), pairs, rules, keep),

    async restore({ onProgress, announce }, place, wish) {
      await recoverSite(repository, place);
      const lost = isMerge(wish) ? undefined : await mendLost(repository, place, wish, onProgress);
      const site = await open(place);
      const { cut, snapshot, tablesVersion } = await site.snapshot(place, onProgress);
      const plan = isMerge(wish)
        ? await agreedMerge(repository, place, snapshot, wish)
        : await planFor(site.repository, snapshot, wish, place);
      await requireRoom(place, site.repository, { plan });
      const described = describePlan(lost?.plan ?? plan, site.keeping);
      await announce(cut, described);
      const target = await site.database.openTarget();
      try {
        await restore(plan, {
          repository: site.repository,
          folder: place.content,
          staging: place.staging,
          tables: { target, source: site.source, version: tablesVersion },
          onProgress,
        });
      } finally {
        await target.close();
      }
      return { now: cut, difference: described.difference };
    },

    async move({ onProgress }, place, into) {
      await recoverSite(repository, place);
      const { cut } = await (await open(place)).snapshot(place, onProgress);
      await release(place.site);
      await moveTables(repository.site(place.space, place.site), databaseOf(place.database), databaseOf(into));
      return cut;
    },

    async compareCopy(_, from, now, wish, window) {
      const snapshot = await repository.site(from.space, from.site).readNamed(now);
      const plan = await planMergeOf(repository, from, snapshot, wish);
      const refusal = refusalOf(plan, wish);
      const report = reportMerge(plan.comparison, mergingBy(wish.rules), keepingBy(from.rules).isKnown, window);
      return { ...report, refusal: refusal ? { code: refusal.code, message: refusal.message } : null };
    },

    async recover(_, place) {
      return recoverSite(repository, place);
    },

    /** The same on a copy that is thrown away: all of it is read, verified and applied. The site itself is not looked at. */
    async rehearse({ onProgress, announce }, place, wish, moment, name) {
      const from = repository.site(place.space, place.site);
      const lost = moment ? undefined : await wishedLoss(from, place, wish, onProgress);
      const whole = moment && (await from.readNamed(moment));
      const scratch = rehearsalFolder(place, name);
      const aside = { ...place, staging: scratch };
      const points = await pointsOf(from, wish, aside);
      const now = whole ?? (lost ? mendedState(lost, points.point, points.tablesFrom) : undefined);
      if (!now) throw outdatedPlan('the site is there again');
      const plan = await planFor(from, now, wish, aside);
      const keeping = keepingBy(place.rules);
      await requireRoom(place, from, { plan, copied: whole ?? points.point });
      await announce(null, describePlan(lost ? await planFor(from, lost.remains, wish, aside) : plan, keeping));
      const content = join(scratch, 'content');
      await rm(scratch, { recursive: true, force: true });
      const database = databaseOf(place.database).scratch(scratch);
      try {
        await mkdir(scratch, { mode: 0o700 });
        await restoreInto(from, now, { folder: content, onProgress });
        await fillDatabase(from, now, database, onProgress);
        const source = database.source(keeping.isTracked);
        const target = await database.openTarget();
        try {
          await restore(plan, {
            repository: from,
            folder: content,
            staging: join(scratch, 'staging'),
            tables: { target, source, version: await source.version() },
            operations: fleetingOperations,
            onProgress,
          });
        } finally {
          await target.close();
          await source.close();
        }
      } finally {
        await database.remove();
        await rm(scratch, { recursive: true, force: true });
      }
    },

    async copy({ onProgress }, { space, site, now }, point, into) {
      await copySite(repository.site(space, site), now, point, into, onProgress);
    },

    async prune(_, { windowsMs, pinned, damaged, nowMs }) {
      const [pins, damages] = [new Set(pinned), new Set(damaged)];
      return prune(repository, {
        windowMs: ({ site }) => windowsMs[site] ?? Number.MAX_SAFE_INTEGER,
        isPinned: (_site, { hash }) => pins.has(hash),
        isDamaged: ({ hash }) => damages.has(hash),
        nowMs,
      });
    },

    async forget(_, space, site) {
      await forgetSite(repository.site(space, site));
    },

    check: (_, from, budget) => check(repository, from, budget),

    checkSite: (_, space, site) => checkSite(repository, space, site),

    async deploy({ onProgress, announce, want }, place, laying) {
      await recoverSite(repository, place);
      const site = await open(place);
      const { cut, snapshot } = await site.snapshot(place, onProgress);
      const { isPublic } = site.keeping;
      const { tree, ...laid } = await layFiles(site.repository, snapshot.files, laying, { isPublic, want });
      const options = { tables: false, deleteExtraFiles: true };
      const plan = await planRestore(site.repository, snapshot, { ...snapshot, files: tree }, options);
      const described = describePlan(plan, site.keeping);
      const difference = { ...described.difference, laid };
      await announce(cut, { ...described, difference });
      await restore(plan, { repository: site.repository, folder: place.content, staging: place.staging, onProgress });
      return { now: cut, difference };
    },

    upload: async () => (await repository.store.upload?.()) ?? EMPTY_QUEUE,

    /** What is known of the files is kept for the next process. */
    async close() {
      for (const site of kept.values()) await site.close().catch(() => {});
    },
  };
}

async function wishedLoss(
  from: SiteRepository,
  place: SitePlace,
  wish: RestoreWish,
  onProgress: OnProgress,
): Promise<LostSite | undefined> {
  const lost = await lookForLoss(from, place, onProgress);
  if (lost) assertWished(lost, wish);
  return lost;
}

/** Makes anew what is gone of the site before anything else can be done to it. The plan is what was planned before that. */
async function mendLost(
  repository: Repository,
  place: SitePlace,
  wish: RestoreWish,
  onProgress: OnProgress,
): Promise<{ plan: RestorePlan } | undefined> {
  const from = repository.site(place.space, place.site);
  const lost = await wishedLoss(from, place, wish, onProgress);
  if (!lost) return undefined;
  const plan = await planFor(from, lost.remains, wish, place);
  await mendSite(from, place, lost, await pointsOf(from, wish, place), onProgress);
  return { plan };
}

/** Where it is said which database they are for, tables of another kind come in its words. */
async function pointsOf(
  from: SiteRepository,
  wish: RestoreWish,
  { database, staging }: Partial<Pick<SitePlace, 'database' | 'staging'>> = {},
): Promise<{ point: Snapshot; tablesFrom: Snapshot }> {
  const point = await from.readNamed(wish.point);
  const tablesFrom = wish.tablesPoint ? await from.readNamed(wish.tablesPoint) : point;
  if (!database || staging === undefined) return { point, tablesFrom };
  return { point, tablesFrom: await inWordsOf(databaseOf(database), from, tablesFrom, `${staging}-words`) };
}

async function agreedMerge(repository: Repository, place: SitePlace, now: Snapshot, wish: MergeWish) {
  const plan = await planMergeOf(repository, place, now, wish);
  const refusal = refusalOf(plan, wish);
  if (refusal) throw refusal;
  return plan;
}

async function planFor(
  from: SiteRepository,
  now: SiteState,
  wish: RestoreWish,
  place: Pick<SitePlace, 'rules'> & Partial<Pick<SitePlace, 'database' | 'staging'>>,
): Promise<RestorePlan> {
  const { files, tables, deleteExtraFiles } = wish;
  const { neededTables } = place.rules;
  const { point, tablesFrom } = await pointsOf(from, wish, tables ? place : undefined);
  const kept = [...Object.keys(tablesFrom.tables), ...tablesFrom.tablesSkipped.map(({ name }) => name)];
  // Kept by earlier versions, which took an emptied database for a state like any other.
  if (tables && !neededTables.every((name) => kept.includes(name)))
    throw new TimeMachineFailure('unusable_point', `The backup has no table ${neededTables.join(' or ')}`);
  return planRestore(from, now, point, { files, tables, deleteExtraFiles, tablesFrom });
}
