import { failedBy } from '../failure.ts';
import type { OnProgress } from '../progress.ts';
import type { SiteRepository } from '../repository.ts';
import { restoreInto } from '../restore/restore-into.ts';
import type { Snapshot } from '../snapshot.ts';
import type { Database } from '../sources/database.ts';

/**
 * A database that can not be read can not be kept, nor restored into. It is put aside, and a new one is made of the tables
 * of the point; what is left to do then is what is left for any other site. The names of these tables.
 */
export async function mendDatabase(
  database: Database,
  from: SiteRepository,
  point: Snapshot,
  onProgress: OnProgress,
): Promise<string[]> {
  if (!(await isUnreadable(database))) return [];
  await database.makeAnew((tables) => restoreInto(from, point, { tables, onProgress }));
  return Object.keys(point.tables);
}

async function isUnreadable(database: Database): Promise<boolean> {
  const source = database.source(() => true);
  try {
    await (await source.open()).close();
    return false;
  } catch (error) {
    if (failedBy(error, 'unreadable_database')) return true;
    throw error;
  } finally {
    await source.close();
  }
}
