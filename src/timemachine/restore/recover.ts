import { openReader, storeTables } from '../archive/table-cut.ts';
import { ProgressReport } from '../progress.ts';
import type { SiteRepository } from '../repository.ts';
import { diskOperations } from '../stores/file-operations.ts';
import { planTables } from '../tables/table-plan.ts';
import type { TableSource } from '../tables/table-source.ts';
import { applySteps } from './apply-files.ts';
import { applyTables, stageTables } from './apply-tables.ts';
import { readJournal, removeJournal } from './journal.ts';
import { unpackMerge } from './journal-merge.ts';
import { outdatedPlan, type RestoreTargets } from './restorer.ts';

/**
 * To be called for a site before it is served again after a restart. A restore that had decided is finished, one that had
 * not is undone; without any this does nothing. It may itself be killed and called again.
 */
export async function recover(
  targets: Omit<RestoreTargets, 'tables'> & {
    tables?: Pick<NonNullable<RestoreTargets['tables']>, 'target' | 'source'>;
  },
): Promise<'finished' | 'undone'> {
  const { repository, folder, staging, tables, operations = diskOperations } = targets;
  const progress = new ProgressReport(targets.onProgress);
  const journal = await readJournal(staging);
  if (!journal) {
    await tables?.target.discardStaged();
    await operations.remove(staging);
    return 'undone';
  }
  if (journal.tables && tables) {
    // Whether the transaction happened shows in the tables themselves; if it did, the plan is empty.
    const now = await currentTables(repository, tables.source);
    const { wanted, dropped, merged = [] } = journal.tables;
    const plan = await planTables(repository, now.tables, wanted);
    plan.dropped = plan.dropped.filter((name) => dropped.includes(name));
    // Rows that come and go can do so twice.
    plan.changed.push(...merged.map(unpackMerge));
    await stageTables(repository, plan, tables.target, progress);
    const assertCurrent = async () => {
      if ((await tables.source.version()) !== now.version) throw outdatedPlan('the database');
    };
    await applyTables(plan, tables.target, assertCurrent, progress);
  }
  if (folder !== undefined) await applySteps(folder, staging, journal.steps, operations, progress);
  await removeJournal(staging, operations);
  return 'finished';
}

/** The tables as they are, stored so that they can be compared; the objects are in no snapshot and go with the next prune. */
async function currentTables(repository: SiteRepository, source: TableSource) {
  await repository.refresh();
  const writer = repository.writer();
  const reader = await openReader(source);
  try {
    const { states, version } = await storeTables(reader, undefined, undefined, writer, new ProgressReport());
    await writer.flush();
    return { tables: Object.fromEntries([...states].map(([name, { ref }]) => [name, ref])), version };
  } finally {
    await reader.close();
  }
}
