import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { packFailure } from '../failure.ts';
import { check } from '../maintenance/checker.ts';
import { forgetSite, prune } from '../maintenance/pruner.ts';
import type { OnProgress } from '../progress.ts';
import { Repository, type SiteRepository } from '../repository.ts';
import { readJournal } from '../restore/journal.ts';
import { recover } from '../restore/recover.ts';
import { restoreInto } from '../restore/restore-into.ts';
import { planRestore, type RestorePlan, restore } from '../restore/restorer.ts';
import type { Snapshot } from '../snapshot.ts';
import { SqliteTarget } from '../sources/sqlite-target.ts';
import { DiskStore } from '../stores/disk.ts';
import { fleetingOperations } from '../stores/file-operations.ts';
import { type DescribedPlan, describePlan } from './difference.ts';
import { KeptSite, sourceOf } from './kept-site.ts';
import { mendDatabase } from './mend-database.ts';
import {
  type Announcement,
  type Calls,
  type CutReport,
  type FromProcess,
  type PlanReport,
  type RestoreWish,
  rehearsalFolder,
  type SitePlace,
  type ToProcess,
} from './protocol.ts';

/**
 * The process in which sites are read and restored. A site's database is whatever the site made of it, and SQLite runs
 * what is in there, so it is never opened in the platform's own process; this one can be ended at any time.
 */
const OPEN_SITES = 100;
const repository = new Repository(new DiskStore(process.argv[2] ?? ''));
/** The sites that were looked at last, the latest at the end. */
const kept = new Map<string, KeptSite>();

/** One call as it runs. */
interface Conversation {
  onProgress: OnProgress;
  /** Tells what is about to be done and waits until that is written down, and lists of it what is asked for. */
  announce(now: CutReport | null, plan: DescribedPlan): Promise<void>;
}

type Handlers = {
  [Name in keyof Calls]: (
    conversation: Conversation,
    ...args: Parameters<Calls[Name]>
  ) => Promise<ReturnType<Calls[Name]>>;
};

const handlers: Handlers = {
  async snapshot({ onProgress }, place) {
    return (await (await open(place)).snapshot(place.recorded, onProgress)).cut;
  },

  async release(_, site) {
    const held = kept.get(site);
    kept.delete(site);
    await held?.close();
  },

  async plan({ onProgress }, place, wish, window) {
    const site = await open(place);
    const { cut, snapshot } = await site.snapshot(place.recorded, onProgress);
    const { difference, list } = describePlan(await planFor(site.repository, snapshot, wish));
    return { now: cut, difference, list: list(window) };
  },

  async compare(_, { space, site }, moment, wish, window) {
    const from = repository.site(space, site);
    const { difference, list } = describePlan(await planFor(from, await from.readMoment(moment), wish));
    return { difference, list: list(window) };
  },

  async restore({ onProgress, announce }, place, wish) {
    await recoverSite(place);
    const mended = wish.tables ? await mendTables(place, wish, onProgress) : [];
    const site = await open(place);
    const { cut, snapshot, tablesVersion } = await site.snapshot(place.recorded, onProgress);
    const plan = await planFor(site.repository, snapshot, wish);
    const described = describePlan(plan, mended);
    const planned: PlanReport = { now: cut, difference: described.difference };
    await announce(cut, described);
    const target = new SqliteTarget(place.database.file);
    try {
      const tables = { target, source: site.source, version: tablesVersion };
      await restore(plan, {
        repository: site.repository,
        folder: place.content,
        staging: place.staging,
        tables,
        onProgress,
      });
    } finally {
      target.close();
    }
    return planned;
  },

  async recover(_, place) {
    return recoverSite(place);
  },

  /** The same on a copy that is thrown away: all of it is read, verified and applied. The site itself is not looked at. */
  async rehearse({ onProgress, announce }, place, wish, moment, name) {
    const from = repository.site(place.space, place.site);
    const now = await from.readMoment(moment);
    const plan = await planFor(from, now, wish);
    await announce(null, describePlan(plan));
    const scratch = rehearsalFolder(place, name);
    const file = join(scratch, 'database.sqlite');
    const content = join(scratch, 'content');
    await rm(scratch, { recursive: true, force: true });
    try {
      await mkdir(scratch, { mode: 0o700 });
      await copyInto(from, now, { content, file }, onProgress);
      const target = new SqliteTarget(file);
      const source = sourceOf({ ...place, database: { kind: 'sqlite', file } });
      try {
        const tables = { target, source, version: source.version() };
        await restore(plan, {
          repository: from,
          folder: content,
          staging: join(scratch, 'staging'),
          tables,
          operations: fleetingOperations,
          onProgress,
        });
      } finally {
        target.close();
        source.close();
      }
    } finally {
      await rm(scratch, { recursive: true, force: true });
    }
  },

  async copy({ onProgress }, { space, site }, point, into) {
    const from = repository.site(space, site);
    const snapshot = await from.readMoment(point);
    await rm(into.content, { recursive: true, force: true });
    await rm(into.database.file, { force: true });
    await copyInto(from, snapshot, { content: into.content, file: into.database.file }, onProgress);
  },

  async prune(_, { windowsMs, pinned, nowMs }) {
    const pins = new Set(pinned);
    return prune(repository, {
      windowMs: ({ site }) => windowsMs[site] ?? Number.MAX_SAFE_INTEGER,
      isPinned: (_site, { hash }) => pins.has(hash),
      nowMs,
    });
  },

  async forget(_, space, site) {
    await forgetSite(repository.site(space, site));
  },

  async check() {
    return check(repository);
  },
};

/** The site, with what is remembered of it. Work on one site comes one after another: whoever asks sees to that. */
async function open(place: SitePlace): Promise<KeptSite> {
  let site = kept.get(place.site);
  kept.delete(place.site);
  if (site && !(await site.isCurrent(place))) {
    await site.close();
    site = undefined;
  }
  site ??= new KeptSite(repository, place);
  kept.set(place.site, site);
  const [oldest] = kept.keys();
  if (kept.size > OPEN_SITES && oldest !== undefined) await handlers.release(quiet, oldest);
  return site;
}

const quiet: Conversation = { onProgress() {}, announce: async () => {} };

/** Ends what a restore that was killed began, in one way or the other. */
async function recoverSite(place: SitePlace): Promise<'finished' | 'undone'> {
  const from = repository.site(place.space, place.site);
  const { content: folder, staging } = place;
  // The database may be what is broken; where nothing was begun it is not needed.
  if (!(await readJournal(staging))) return recover({ repository: from, folder, staging });
  const source = sourceOf(place);
  const target = new SqliteTarget(place.database.file);
  try {
    return await recover({ repository: from, folder, staging, tables: { source, target } });
  } finally {
    target.close();
    source.close();
  }
}

async function mendTables(place: SitePlace, wish: RestoreWish, onProgress: OnProgress): Promise<string[]> {
  const from = repository.site(place.space, place.site);
  return mendDatabase(place, from, await from.readMoment(wish.tablesPoint ?? wish.point), onProgress);
}

async function planFor(from: SiteRepository, now: Snapshot, wish: RestoreWish): Promise<RestorePlan> {
  const { files, tables, deleteExtraFiles } = wish;
  const tablesFrom = wish.tablesPoint && (await from.readMoment(wish.tablesPoint));
  const options = { files, tables, deleteExtraFiles, ...(tablesFrom && { tablesFrom }) };
  return planRestore(from, now, await from.readMoment(wish.point), options);
}

async function copyInto(
  from: SiteRepository,
  snapshot: Snapshot,
  into: { content: string; file: string },
  onProgress: OnProgress,
): Promise<void> {
  await restoreInto(from, snapshot, { folder: into.content, onProgress });
  const tables = new SqliteTarget(into.file);
  try {
    await restoreInto(from, snapshot, { tables, onProgress });
  } finally {
    tables.close();
  }
}

/** Calls that wait for the caller's word. */
const waiting = new Map<number, { plan: DescribedPlan; proceed: () => void }>();
let running = 0;
const tell = (message: FromProcess) => process.send?.(message);

async function answer(id: number, call: keyof Calls, args: unknown[]): Promise<void> {
  const conversation: Conversation = {
    onProgress: (progress) => tell({ id, progress }),
    announce: (now, plan) =>
      new Promise((resolve) => {
        waiting.set(id, { plan, proceed: resolve });
        tell({ id, planned: { now, difference: plan.difference } satisfies Announcement });
      }),
  };
  running++;
  try {
    const handler = handlers[call] as (conversation: Conversation, ...args: unknown[]) => Promise<unknown>;
    tell({ id, value: await handler(conversation, ...args) });
  } catch (error) {
    tell({ id, failure: packFailure(error) });
  } finally {
    running--;
  }
}

process.on('message', (message: ToProcess) => {
  if ('call' in message) return void answer(message.id, message.call, message.args);
  const call = waiting.get(message.id);
  if (!call) return;
  if ('list' in message) return void tell({ id: message.id, listed: call.plan.list(message.list) });
  waiting.delete(message.id);
  call.proceed();
});

/** The parent is gone, or wants this process to end: what is known of the files is kept for the next one. */
process.on('disconnect', async () => {
  // Nobody holds the site for us any more: the next process may be at it, and finishes what was begun here.
  if (running > 0) process.exit(1);
  for (const site of kept.values()) await site.close().catch(() => {});
  process.exit(0);
});
