import { readdir, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type SiteState, survey } from '../archive/survey.ts';
import { failedBy, lostContent, TimeMachineFailure } from '../failure.ts';
import type { OnProgress } from '../progress.ts';
import type { SiteRepository } from '../repository.ts';
import { restoreInto } from '../restore/restore-into.ts';
import { planRestore } from '../restore/restorer.ts';
import type { Snapshot } from '../snapshot.ts';
import type { Database } from '../sources/database.ts';
import { databaseOf } from '../sources/open-database.ts';
import { keepingBy } from './keep-rules.ts';
import type { RestoreWish, SitePlace } from './protocol.ts';
import { bytesOf, requireRoom } from './room.ts';

/** A site of which a part is gone, and what there is of it. That is no state to keep: nobody would want it back. */
export interface LostSite {
  isContentLost: boolean;
  isDatabaseLost: boolean;
  remains: SiteState;
}

/** Undefined where the site is there: then it is kept as it is before anything is done to it. */
export async function lookForLoss(
  from: SiteRepository,
  place: SitePlace,
  onProgress: OnProgress,
): Promise<LostSite | undefined> {
  const { rules } = place;
  const database = databaseOf(place.database);
  const isContentLost = await isGone(place.content);
  const isDatabaseLost = await isUnreadable(database, rules.neededTables);
  if (!isContentLost && !isDatabaseLost) return undefined;
  const { isPublic, isTracked } = keepingBy(rules);
  const tables = isDatabaseLost ? undefined : database.source(isTracked);
  try {
    const remains = await survey({
      repository: from,
      isPublic,
      onProgress,
      ...(!isContentLost && { folder: place.content }),
      ...(tables && { tables }),
    });
    return { isContentLost, isDatabaseLost, remains };
  } finally {
    await tables?.close();
  }
}

/** The site as it is once what is gone was brought back: with nothing of its own in place of that, it is as at the point. */
export function mendedState(lost: LostSite, point: SiteState, tablesFrom: SiteState): SiteState {
  return {
    files: lost.isContentLost ? point.files : lost.remains.files,
    tables: lost.isDatabaseLost ? tablesFrom.tables : lost.remains.tables,
  };
}

/** What is gone can not be left as it is: nothing else could be kept before it is changed. */
export function assertWished({ isContentLost, isDatabaseLost }: LostSite, wish: RestoreWish): void {
  if (isContentLost && !wish.files) throw lostContent('is gone');
  if (isDatabaseLost && !wish.tables)
    throw new TimeMachineFailure('unreadable_database', 'The database can not be read, and is not to be restored');
}

/**
 * Makes anew what is gone, of the point alone; what is left to do then is what is left for any other site. Each half appears when it
 * is whole, so after a kill the next attempt goes on with the other one. A database that was broken is put aside.
 */
export async function mendSite(
  from: SiteRepository,
  place: SitePlace,
  lost: LostSite,
  { point, tablesFrom }: { point: Snapshot; tablesFrom: Snapshot },
  onProgress: OnProgress,
): Promise<void> {
  const plan = await planRestore(from, lost.remains, point, { tablesFrom });
  await requireRoom(place, bytesOf(plan));
  if (lost.isContentLost) {
    await rm(place.content, { recursive: true, force: true });
    await restoreInto(from, point, { folder: place.content, durable: true, onProgress });
  }
  if (lost.isDatabaseLost)
    await databaseOf(place.database).makeAnew((tables) => restoreInto(from, tablesFrom, { tables, onProgress }));
}

/** Where it is a link, what that leads to counts, as for the archiver. An empty one counts: WordPress needs a theme at least, so this is what is left when a folder was made again. */
async function isGone(folder: string): Promise<boolean> {
  const found = await stat(folder).catch(ifMissing);
  return !found?.isDirectory() || (await readdir(folder)).length === 0;
}

async function isUnreadable(database: Database, needed: readonly string[]): Promise<boolean> {
  const source = database.source(() => true, needed);
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

function ifMissing(error: NodeJS.ErrnoException): undefined {
  if (!['ENOENT', 'ENOTDIR', 'ELOOP'].includes(error.code ?? '')) throw error;
}

/** Whether anything of a site's folder is there to go on with. */
export async function hasFolder({ content }: SitePlace): Promise<boolean> {
  return (await stat(dirname(content)).catch(ifMissing)) !== undefined && !(await isGone(content));
}
