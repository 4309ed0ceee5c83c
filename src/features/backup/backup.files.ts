import type { Services } from '#core/services.ts';
import { failedBy } from '#timemachine/failure.ts';
import { findFile, type ListedFile, listFiles } from '#timemachine/read.ts';
import type { SiteRepository } from '#timemachine/repository.ts';
import type { Snapshot } from '#timemachine/snapshot.ts';
import { momentOf, spaceOf } from './backup.place.ts';
import { noBackup, type PitFiles } from './backup.schema.ts';
import type { BackupRow } from './backup.sql.ts';
import { signVersion } from './backup.version.ts';

/** Beyond this a prefix leads further. */
const LISTED_FILES = 100_000;

/** A site's files as they were; read from the store, and never from the site. */
export async function repositoryOf({ db, timeMachine }: Services, siteId: string): Promise<SiteRepository> {
  const { space } = await spaceOf(db, siteId);
  return timeMachine.repository.site(space, siteId);
}

export async function filesOf(services: Services, backup: BackupRow, prefix: string): Promise<PitFiles> {
  const repository = await repositoryOf(services, backup.site_id);
  const files: PitFiles['files'] = [];
  let isTruncated = false;
  for await (const file of listFiles(repository, await snapshotOf(repository, backup), prefix)) {
    if (files.length >= LISTED_FILES) {
      isTruncated = true;
      break;
    }
    const { path, sizeBytes, modifiedUs, ref } = file;
    files.push({
      key: path,
      size: sizeBytes,
      modified_at: new Date(modifiedUs / 1000),
      version_id: signVersion(services, backup.site_id, ref),
    });
  }
  return { backup_point: backup.created_at, files, is_truncated: isTruncated };
}

/** Undefined for each key that the backup does not have. */
export async function findFiles(
  services: Services,
  backup: BackupRow,
  keys: readonly string[],
): Promise<(ListedFile | undefined)[]> {
  const repository = await repositoryOf(services, backup.site_id);
  const snapshot = await snapshotOf(repository, backup);
  const found: (ListedFile | undefined)[] = [];
  for (const key of keys) found.push(await findFile(repository, snapshot, key));
  return found;
}

async function snapshotOf(repository: SiteRepository, backup: BackupRow): Promise<Snapshot> {
  try {
    return await repository.readMoment(momentOf(backup));
  } catch (error) {
    // A prune is faster than its own list.
    if (failedBy(error, 'missing_object')) throw noBackup();
    throw error;
  }
}
