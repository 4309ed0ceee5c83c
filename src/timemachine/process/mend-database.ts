import { rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { failedBy } from '../failure.ts';
import type { OnProgress } from '../progress.ts';
import type { SiteRepository } from '../repository.ts';
import { restoreInto } from '../restore/restore-into.ts';
import type { Snapshot } from '../snapshot.ts';
import { SqliteTarget } from '../sources/sqlite-target.ts';
import { diskOperations } from '../stores/file-operations.ts';
import { isOfSite, sourceOf } from './kept-site.ts';
import type { SitePlace } from './protocol.ts';

/**
 * A database that can not be read can not be kept, nor restored into. It is put aside, and a new one is made of the tables
 * of the point; what is left to do then is what is left for any other site. The names of these tables.
 */
export async function mendDatabase(
  place: SitePlace,
  from: SiteRepository,
  point: Snapshot,
  onProgress: OnProgress,
): Promise<string[]> {
  if (!isUnreadable(place)) return [];
  const { file } = place.database;
  const draft = `${file}.mended`;
  await rm(draft, { force: true });
  const tables = new SqliteTarget(draft);
  try {
    await restoreInto(from, point, { tables, onProgress });
  } finally {
    tables.close();
  }
  for (const suffix of ['', '-journal']) {
    await rename(`${file}${suffix}`, `${file}.broken${suffix}`).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error;
    });
  }
  await rename(draft, file);
  await diskOperations.syncFolder(dirname(file));
  return Object.keys(point.tables).filter(isOfSite);
}

function isUnreadable(place: SitePlace): boolean {
  try {
    const source = sourceOf(place);
    try {
      source.open().close();
    } finally {
      source.close();
    }
    return false;
  } catch (error) {
    if (failedBy(error, 'unreadable_database')) return true;
    throw error;
  }
}
