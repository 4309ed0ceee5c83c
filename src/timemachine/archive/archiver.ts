import { realpathSync, statSync } from 'node:fs';
import type { Ref } from '../content.ts';
import { failedBy, lostContent, withStored } from '../failure.ts';
import { type OnProgress, ProgressReport } from '../progress.ts';
import type { SiteRepository, SiteWriter } from '../repository.ts';
import type { Snapshot, SnapshotId } from '../snapshot.ts';
import { diskOperations } from '../stores/file-operations.ts';
import { readTableRoot } from '../tables/table-root.ts';
import type { TableSource } from '../tables/table-source.ts';
import { BaseCheck } from './base-check.ts';
import { changesSince, type FileChanges, noFileChanges } from './file-changes.ts';
import { type FolderState, reasonsBelow } from './file-state.ts';
import { type FolderRules, FolderWalk } from './folder-walk.ts';
import { hintsFrom } from './hints.ts';
import { drive, LONGEST_MS, timeOf } from './pause.ts';
import { isOf, readState, writeState } from './state-file.ts';
import type { TableState } from './table-archive.ts';
import { openReader, storeTables, type TablesResult } from './table-cut.ts';

/** How often files and tables are looked at again when they changed in the middle of a cut. */
const ROUNDS = 3;
export interface ArchiverOptions extends FolderRules {
  repository: SiteRepository;
  /** The folder to keep; leave it out for a database alone. */
  folder?: string;
  tables?: TableSource;
  /** Where to keep what is known of the files while no archiver runs; see `remember`. */
  stateFile?: string;
  /** A folder that had files and has nothing in it any more was lost: that is a failure. */
  isNeverEmpty?: boolean;
  now?: () => number;
}

export interface SnapshotResult {
  id: SnapshotId;
  snapshot: Snapshot;
  /** False when nothing differs from the snapshot before; `id` is then that one. */
  isNew: boolean;
  /** Also what no snapshot needs: what changed on the way, or was lost and is there again. */
  storedBytes: number;
  /** Against the snapshot before; the first one adds everything. */
  changes: FileChanges;
  /** What the source of the tables said at the cut; a restore refuses to work on any other state. */
  tablesVersion: string | undefined;
  /**
   * Lost objects of the previous snapshot, 1 if the number is unknown. If not 0, all of the site was read and stored
   * again.
   */
  lostObjects: number;
}

type Cut = Omit<SnapshotResult, 'lostObjects'>;

export interface SnapshotOptions {
  /**
   * Hints: only these paths, and those that were fresh last time, are looked at. A hint that is missing is a change that is
   * missed, so take a snapshot without hints now and then.
   */
  changedPaths?: Iterable<string>;
  onProgress?: OnProgress;
  /** It fails with `too_slow` after so long; nothing is kept of it but what the next one need not store again. */
  limitMs?: number | undefined;
}

/** What is known of the site, and the snapshot that it is known from; a copy that nobody has kept yet has none. */
interface State {
  last: { id: SnapshotId; snapshot: Snapshot } | undefined;
  files: FolderState | undefined;
  fresh: readonly string[];
  tables: Map<string, TableState>;
  tablesVersion: string | undefined;
  /** What of the store was known to be lost when this was found to need none of it, or was read anew for it. */
  lossName: string;
}

/**
 * Takes snapshots of one site. It remembers what it saw last, so that the next snapshot costs what changed; a new archiver
 * knows nothing and reads everything once.
 */
export class Archiver {
  readonly #options: ArchiverOptions;
  #state: State | undefined;
  #running = false;
  #hadFiles = false;
  readonly #baseCheck: BaseCheck;

  constructor(options: ArchiverOptions) {
    this.#options = options;
    this.#baseCheck = new BaseCheck(options.repository);
  }

  async snapshot(options: SnapshotOptions = {}): Promise<SnapshotResult> {
    if (this.#running) throw new Error('A snapshot of this site is being taken already');
    this.#running = true;
    try {
      const progress = new ProgressReport(options.onProgress);
      return await this.#take(options.changedPaths, progress, timeOf(options.limitMs ?? LONGEST_MS, progress));
    } finally {
      this.#running = false;
    }
  }

  /** With a state file, the next archiver goes on where this one ended. */
  async remember(): Promise<void> {
    const { stateFile } = this.#options;
    const { last, files, fresh = [], tablesVersion, lossName = '' } = this.#state ?? {};
    if (stateFile === undefined || !last || !files) return;
    const knowledge = this.#options.tables?.knowledge?.(tablesVersion);
    const state = { of: { snapshot: last.id.hash }, files, fresh, tablesVersion, lossName, knowledge };
    await writeState(stateFile, state, diskOperations);
  }

  async #take(
    changedPaths: Iterable<string> | undefined,
    progress: ProgressReport,
    onPause: () => void,
  ): Promise<SnapshotResult> {
    const { repository } = this.#options;
    await repository.refresh();
    const recalled = (await this.#isKept(this.#state)) ? this.#state : await this.#recall();
    const known = recalled === 'unreadable' ? undefined : recalled;
    const lostObjects = known ? await this.#baseCheck.countLost(known) : recalled === 'unreadable' ? 1 : 0;
    // Reading it marks what turns out to be other bytes.
    const lossName = repository.lossName();
    const before =
      lostObjects > 0 && known ? readAnew(known, lossName) : await this.#withoutLost(known, lossName, onPause);
    const writer = repository.writer(onPause);
    const result = await this.#cut({ known, before, lossName }, changedPaths, writer, progress).catch((error) => {
      throw withStored(error, writer.writtenBytes);
    });
    return { ...result, lostObjects };
  }

  async #cut(
    { known, before, lossName }: { known: State | undefined; before: State | undefined; lossName: string },
    changedPaths: Iterable<string> | undefined,
    writer: SiteWriter,
    progress: ProgressReport,
  ): Promise<Cut> {
    const { tables } = this.#options;
    this.#hadFiles = (known?.last?.snapshot.fileCount ?? 0) > 0;
    const hinted = before?.files && changedPaths ? [...changedPaths, ...before.fresh] : undefined;
    progress.begin('reading');
    let files = await this.#walk(before?.files, hinted, writer, progress);
    const isAnew = before !== known;
    if (before?.last && !isAnew && (await this.#isUnchanged(before, before.last.snapshot, files.state))) {
      this.#state = { ...before, files: files.state, fresh: files.fresh };
      return nothingNew(before.last, before.tablesVersion, writer);
    }

    // The instant of the cut is the one at which the reader opens. A file that was the same before it and after it was the
    // same at it; where one was not, all is looked at once more.
    let isConsistent = false;
    let cut: { timeMs: number; tables: TablesResult } | undefined;
    const changedPathsNow = new Set(hinted);
    for (let round = 0; round < ROUNDS && !isConsistent; round++) {
      const reader = tables && (await openReader(tables));
      // After the one before, whatever the clock says: the order of restore points is that of what happened.
      const timeMs = Math.max(this.#options.now?.() ?? Date.now(), (before?.last?.id.timeMs ?? 0) + 1);
      const stored = cut ? { tables: cut.tables.states, tablesVersion: cut.tables.version } : before;
      try {
        cut = { timeMs, tables: await storeTables(reader, stored, before?.last?.snapshot, writer, progress) };
      } finally {
        await reader?.close();
      }
      progress.begin('verifying');
      const again = await this.#walk(files.state, hinted && [...changedPathsNow, ...files.fresh], writer, progress);
      isConsistent = again.changed.length === 0;
      files = again;
    }
    if (!cut) throw new Error('No cut was made');
    // What was lost is stored again now, also where that makes no new snapshot.
    if (isAnew) await writer.flush();
    const result = await this.#publish(before, files.state, cut, isConsistent, writer, progress);
    this.#state = {
      last: { id: result.id, snapshot: result.snapshot },
      files: files.state,
      fresh: files.fresh,
      tables: cut.tables.states,
      tablesVersion: cut.tables.version,
      lossName,
    };
    return result;
  }

  async #publish(
    before: State | undefined,
    files: FolderState | undefined,
    cut: { timeMs: number; tables: TablesResult },
    isConsistent: boolean,
    writer: SiteWriter,
    progress: ProgressReport,
  ): Promise<Cut> {
    const { repository } = this.#options;
    const tables = refsOf(cut.tables.states);
    const last = before?.last;
    const tablesVersion = cut.tables.version;
    if (last && (files?.ref ?? null) === last.snapshot.files && sameRefs(tables, last.snapshot.tables))
      return nothingNew(last, tablesVersion, writer);
    const snapshot: Snapshot = {
      format: 1,
      site: repository.site,
      time: new Date(cut.timeMs).toISOString(),
      files: files?.ref ?? null,
      tables,
      tablesSaved: cut.tables.saved,
      tablesSkipped: cut.tables.skipped,
      filesSkipped: files ? [...reasonsBelow(files)] : [],
      isConsistent,
      fileCount: files?.fileCount ?? 0,
      fileBytes: files?.fileBytes ?? 0,
      parent: last?.id.hash ?? null,
    };
    progress.begin('writing');
    await writer.flush();
    progress.add({ bytes: writer.writtenBytes });
    progress.end();
    if (performance.now() - writer.startedAtMs > LONGEST_MS)
      throw new Error('The snapshot took too long to rely on old packs');
    const id = await repository.publish(snapshot);
    const changes = await changesSince(repository, before, files);
    return { id, snapshot, isNew: true, storedBytes: writer.writtenBytes, changes, tablesVersion };
  }

  async #walk(
    before: FolderState | undefined,
    hints: string[] | undefined,
    writer: SiteWriter,
    progress: ProgressReport,
  ) {
    const { folder, isNeverEmpty } = this.#options;
    if (folder === undefined) return { state: undefined, fresh: [], changed: [] };
    if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) throw lostContent('is gone');
    const walk = new FolderWalk(realpathSync(folder), this.#options, writer, progress);
    const state = await drive(walk.run(before, hints && hintsFrom(hints)), writer);
    progress.end();
    if (isNeverEmpty && this.#hadFiles && state.entries.size === 0) throw lostContent('is empty');
    return { state, fresh: walk.fresh, changed: walk.changed };
  }

  async #isUnchanged(
    { tables: known, tablesVersion }: State,
    last: Snapshot,
    files: FolderState | undefined,
  ): Promise<boolean> {
    const { tables } = this.#options;
    // What is known of a copy is not of the snapshot before.
    if ((files?.ref ?? null) !== last.files || !sameRefs(refsOf(known), last.tables)) return false;
    if (!tables) return Object.keys(last.tables).length === 0;
    try {
      return tablesVersion !== undefined && (await tables.version()) === tablesVersion;
    } catch (error) {
      if (tables.isBusy?.(error)) return false;
      throw error;
    }
  }

  async #readRoots(refs: Record<string, Ref>): Promise<Map<string, TableState>> {
    const { repository } = this.#options;
    const tables = new Map<string, TableState>();
    for (const [name, ref] of Object.entries(refs))
      tables.set(name, { ref, root: await readTableRoot(repository, ref) });
    return tables;
  }

  /**
   * Nothing is built on what is known to be lost. For each loss that concerns the site, all of it is read once more, and what
   * the store has no longer is written anew: snapshots that need the same are whole again then.
   */
  async #withoutLost(known: State | undefined, lossName: string, onPause: () => void): Promise<State | undefined> {
    if (!known || known.lossName === lossName) return known;
    const { repository } = this.#options;
    if (lossName === '' || (known.last && (await repository.isWhole(known.last.snapshot, onPause)))) {
      known.lossName = lossName;
      // It may have taken long: whatever becomes of this cut, the next one need not look again.
      if (lossName !== '' && known !== this.#state) {
        this.#state = known;
        await this.remember();
      }
      return known;
    }
    return readAnew(known, lossName);
  }

  async #isKept(state: State | undefined): Promise<boolean> {
    if (!state?.last) return false;
    try {
      await this.#options.repository.readSnapshot(state.last.id);
      return true;
    } catch (error) {
      // Torn since, or forgotten.
      if (failedBy(error, 'corrupt_object', 'missing_object')) return false;
      throw error;
    }
  }

  /** After a restart: the newest snapshot is what there is to build on, and to be told apart from. */
  async #recall(): Promise<State | 'unreadable' | undefined> {
    const { repository, stateFile, tables } = this.#options;
    const id = await repository.snapshotAt();
    const kept = stateFile === undefined ? undefined : await readState(stateFile);
    try {
      const last = id && { id, snapshot: await repository.readSnapshot(id) };
      const copied = kept && 'tables' in kept.of ? kept.of.tables : undefined;
      // Where a copy took the site's place, the newest snapshot may be whole and what the copy relies on be lost.
      const isSure = !(copied && last && repository.lossName() !== '');
      const known = kept && isSure && isOf(kept, id, repository.space) ? kept : undefined;
      const refs = (known && copied) ?? last?.snapshot.tables;
      if (!refs) return undefined;
      if (known) tables?.recall?.(known.knowledge);
      const { files, fresh = [], tablesVersion, lossName = '' } = known ?? {};
      return { last, files, fresh, tables: await this.#readRoots(refs), tablesVersion, lossName };
    } catch (error) {
      // An unreadable snapshot cannot be the base of the next one.
      return unlessCorrupt(error);
    }
  }
}

/**
 * Discards all state except the last snapshot, so that all of the site is read and missing objects are stored again.
 */
function readAnew({ last }: State, lossName: string): State {
  return { last, files: undefined, fresh: [], tables: new Map(), tablesVersion: undefined, lossName };
}

function unlessCorrupt(error: unknown): 'unreadable' {
  if (!failedBy(error, 'corrupt_object')) throw error;
  return 'unreadable';
}

function nothingNew(
  last: NonNullable<State['last']>,
  tablesVersion: string | undefined,
  { writtenBytes }: SiteWriter,
): Cut {
  return { ...last, isNew: false, storedBytes: writtenBytes, changes: noFileChanges(), tablesVersion };
}

function refsOf(tables: ReadonlyMap<string, TableState>): Record<string, Ref> {
  return Object.fromEntries([...tables].map(([name, { ref }]): [string, Ref] => [name, ref]));
}

function sameRefs(a: Record<string, Ref>, b: Record<string, Ref>): boolean {
  const names = Object.keys(a);
  return names.length === Object.keys(b).length && names.every((name) => a[name] === b[name]);
}
