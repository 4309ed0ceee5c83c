import { realpathSync } from 'node:fs';
import { type OnProgress, ProgressReport } from '../progress.ts';
import type { Snapshot } from '../snapshot.ts';
import type { ArchiverOptions } from './archiver.ts';
import { FolderWalk } from './folder-walk.ts';
import { drive, LONGEST_MS, timeOf } from './pause.ts';
import { openReader, storeTables } from './table-cut.ts';

/** What a site is made of. */
export type SiteState = Pick<Snapshot, 'files' | 'tables'>;

/**
 * What is there of a site of which a part is gone: it is stored, so that it can be compared, but it is no snapshot and nobody's
 * restore point, and goes with the next prunes.
 */
export async function survey(
  options: Omit<ArchiverOptions, 'stateFile' | 'now'> & { onProgress: OnProgress },
): Promise<SiteState> {
  const { repository, folder, tables } = options;
  const progress = new ProgressReport(options.onProgress);
  await repository.refresh();
  const writer = repository.writer(timeOf(LONGEST_MS, progress));
  const walk = folder === undefined ? undefined : new FolderWalk(realpathSync(folder), options, writer, progress);
  const files = walk ? (await drive(walk.run(undefined), writer)).ref : null;
  const reader = tables && (await openReader(tables));
  try {
    const { states } = await storeTables(reader, undefined, undefined, writer, progress);
    await writer.flush();
    return { files, tables: Object.fromEntries([...states].map(([name, { ref }]) => [name, ref])) };
  } finally {
    await reader?.close();
  }
}
