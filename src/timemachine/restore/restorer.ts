import { TimeMachineFailure } from '../failure.ts';
import { type OnProgress, ProgressReport } from '../progress.ts';
import type { SiteRepository } from '../repository.ts';
import type { Snapshot } from '../snapshot.ts';
import { diskOperations, type FileOperations } from '../stores/file-operations.ts';
import { planTables, type TablePlan } from '../tables/table-plan.ts';
import type { TableSource } from '../tables/table-source.ts';
import type { TableTarget } from '../tables/table-target.ts';
import { type Decide, oursStays } from '../three-way.ts';
import { applySteps, firstSurprise, stageFiles } from './apply-files.ts';
import { applyTables, stageTables } from './apply-tables.ts';
import { type FileCounters, type FilePlan, planFiles } from './file-plan.ts';
import { type Journal, removeJournal, writeJournal } from './journal.ts';
import { packMerge } from './journal-merge.ts';
import { verifyFiles } from './verify-files.ts';

export interface RestorePlan {
  files: FilePlan | undefined;
  tables: TablePlan | undefined;
  counters: RestoreCounters;
}

interface RestoreCounters extends FileCounters {
  tablesRestored: number;
  tablesDeleted: number;
  tablesSkipped: number;
  tablesFailed: number;
  rowsAdded: number;
  rowsRemoved: number;
}

export interface PlanOptions {
  /** Leave the half out that is not to be restored. */
  files?: boolean;
  tables?: boolean;
  /** Files that the point does not have are kept unless told otherwise. */
  deleteExtraFiles?: boolean;
  /** Take the tables from this snapshot and only the files from the point. */
  tablesFrom?: Snapshot;
  /** What both now and the point once were, of any site of the same owner. Without it, the point counts in all that differs. */
  base?: Snapshot;
  /** Asked about each conflict; without it, what is there stays. Plan again with it when the conflicts are known. */
  decide?: Decide;
}

/**
 * The difference between now and the point: the dry run, the counters, and what `restore` does. It changes nothing. With a
 * `base` it is what the point has changed since, and `conflicts` are what has been changed here as well.
 */
export async function planRestore(
  repository: SiteRepository,
  now: Pick<Snapshot, 'files' | 'tables'> | undefined,
  point: Snapshot,
  options: PlanOptions = {},
): Promise<RestorePlan> {
  const { base = now, decide = oursStays } = options;
  const from = options.tablesFrom ?? point;
  const files =
    options.files === false
      ? undefined
      : await planFiles(
          repository,
          { base: base?.files ?? null, ours: now?.files ?? null, theirs: point.files },
          {
            deleteExtra: options.deleteExtraFiles ?? false,
            kept: new Set(point.filesSkipped.map(({ name }) => name)),
            decide,
          },
        );
  const tables =
    options.tables === false
      ? undefined
      : await planTables(
          repository,
          now?.tables ?? {},
          from.tables,
          from.tablesSkipped.filter(({ reason }) => reason !== 'unchanged'),
        );
  return { files, tables, counters: countersOf(files, tables) };
}

export interface RestoreTargets {
  repository: SiteRepository;
  /** The site's folder. */
  folder?: string;
  /** Where a restore prepares itself: on the same file system, of this site alone, and in no snapshot. */
  staging: string;
  tables?: {
    target: TableTarget;
    /** Says whether the tables are still those that the plan was made for. */
    source: TableSource;
    version: string | undefined;
  };
  operations?: FileOperations;
  onProgress?: OnProgress;
}

export function outdatedPlan(what: string): TimeMachineFailure {
  return new TimeMachineFailure('outdated_plan', `Changed since the restore was planned: ${what}`);
}

/**
 * Applies a plan to the site itself. First everything is read, verified and written beside the site; then the journal
 * decides; then tables change in one transaction and files by renames. A failure before the journal changes nothing, a
 * kill after it is finished by `recover`. Whoever serves the site keeps visitors out until this resolves.
 */
export async function restore(plan: RestorePlan, targets: RestoreTargets): Promise<void> {
  const { repository, folder, staging, tables, operations = diskOperations } = targets;
  const changes = folder === undefined ? [] : (plan.files?.changes ?? []);
  const progress = new ProgressReport(targets.onProgress);
  // What a prune moved since we last looked is found where it is now.
  await repository.refresh();
  await operations.remove(staging);
  const decided = { isDecided: false };
  try {
    const steps = await stageFiles(repository, folder ?? staging, staging, changes, operations, progress);
    if (plan.tables && tables) await stageTables(repository, plan.tables, tables.target, progress);
    const surprise = folder === undefined ? undefined : firstSurprise(folder, changes);
    if (surprise !== undefined) throw outdatedPlan(surprise);
    const journal: Journal = { format: 1, steps, tables: plan.tables && tables ? journalOf(plan.tables) : null };
    await writeJournal(staging, journal, operations);
    if (plan.tables && tables) {
      const assertCurrent = async () => {
        if ((await tables.source.version()) !== tables.version) throw outdatedPlan('the database');
      };
      await applyTables(plan.tables, tables.target, assertCurrent, progress);
    }
    decided.isDecided = true;
    if (folder !== undefined) {
      await applySteps(folder, staging, steps, operations, progress);
      await verifyFiles(repository, folder, changes, progress);
    }
    await removeJournal(staging, operations);
  } catch (error) {
    // The transaction did not happen and no file was placed, so what was staged is all there is to undo.
    if (!decided.isDecided) {
      await removeJournal(staging, operations);
      await tables?.target.discardStaged();
    }
    throw error;
  }
}

function journalOf(plan: TablePlan): NonNullable<Journal['tables']> {
  const merged = plan.changed.filter((change) => change.how === 'merge').map(packMerge);
  return { wanted: plan.wanted, dropped: plan.dropped, ...(merged.length > 0 && { merged }) };
}

export function countersOf(files: FilePlan | undefined, tables: TablePlan | undefined): RestoreCounters {
  return {
    filesAdded: files?.filesAdded ?? 0,
    filesDeleted: files?.filesDeleted ?? 0,
    filesRestored: files?.filesRestored ?? 0,
    foldersAdded: files?.foldersAdded ?? 0,
    foldersDeleted: files?.foldersDeleted ?? 0,
    bytes: files?.bytes ?? 0,
    tablesRestored: tables?.changed.length ?? 0,
    tablesDeleted: tables?.dropped.length ?? 0,
    tablesSkipped: tables?.unchanged.length ?? 0,
    tablesFailed: tables?.failed.length ?? 0,
    rowsAdded: tables?.rowsAdded ?? 0,
    rowsRemoved: tables?.rowsRemoved ?? 0,
  };
}
