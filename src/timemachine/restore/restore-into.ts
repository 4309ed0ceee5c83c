import { dirname, join } from 'node:path';
import { type OnProgress, ProgressReport } from '../progress.ts';
import type { SiteRepository } from '../repository.ts';
import type { Snapshot } from '../snapshot.ts';
import { diskOperations, type FileOperations } from '../stores/file-operations.ts';
import { planTables } from '../tables/table-plan.ts';
import type { TableTarget } from '../tables/table-target.ts';
import { restoreOf } from '../three-way.ts';
import { applyTables, stageTables } from './apply-tables.ts';
import { copyKnown, type KnownFolder } from './copy-known.ts';
import { planFiles } from './file-plan.ts';
import { writeFiles } from './file-writer.ts';

export interface NewCopy {
  /** Must not exist, or be empty. It appears when it is whole. */
  folder?: string;
  /** Where files can be had without reading what is stored: the site itself, as long as it is what the point is. */
  known?: KnownFolder | undefined;
  /** A new database. */
  tables?: TableTarget;
  /** Whether the copy must survive a power failure; a preview need not. */
  durable?: boolean;
  operations?: FileOperations;
  onProgress?: OnProgress;
}

/** Makes a copy of the site as it was: for a preview, a dry run, or another machine. */
export async function restoreInto(
  repository: SiteRepository,
  point: Pick<Snapshot, 'files' | 'tables'>,
  copy: NewCopy,
): Promise<void> {
  const { folder, tables, operations = diskOperations } = copy;
  const progress = new ProgressReport(copy.onProgress);
  await repository.refresh();
  if (tables) {
    const plan = await planTables(repository, {}, point.tables);
    await stageTables(repository, plan, tables, progress);
    await applyTables(plan, tables, async () => {}, progress);
  }
  if (folder === undefined) return;
  const partial = `${folder}.partial`;
  await operations.remove(partial);
  await operations.makeFolder(partial);
  const { changes } = await planFiles(repository, restoreOf(null, point.files));
  const folders = changes.filter((change) => change.kind === 'folder');
  const files = changes.filter((change) => change.kind === 'file');
  for (const { path } of folders) await operations.makeFolder(join(partial, path), 0o700);
  const { durable = false, known } = copy;
  progress.begin('writing', { filesTotal: files.length });
  const copied = known && !durable ? await copyKnown(known, partial, operations, progress) : new Set();
  const others = files.filter(({ path }) => !copied.has(path));
  await writeFiles(
    repository,
    others.map(({ path, entry: { ref, sizeBytes, mode, modifiedUs } }) => {
      return { path: join(partial, path), ref, sizeBytes, mode, modifiedUs };
    }),
    operations,
    durable,
    progress,
  );
  for (const change of changes) {
    if (change.kind === 'link') await operations.link(change.entry.target, join(partial, change.path));
  }
  // A folder may be read-only, so folders get their modes when nothing more comes into them.
  for (const { path, entry } of folders.reverse()) await operations.chmod(join(partial, path), entry.mode);
  await operations.rename(partial, folder);
  if (durable) await operations.syncFolder(dirname(folder));
}
