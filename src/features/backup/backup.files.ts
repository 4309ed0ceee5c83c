import type { Services } from '#core/services.ts';
import type { SiteRef } from '#host/site-host.ts';
import { failedBy } from '#timemachine/failure.ts';
import type { ListedFile } from '#timemachine/read.ts';
import { snapshotNameOf, spaceOf } from './backup.place.ts';
import { noBackup, type PitFiles } from './backup.schema.ts';
import type { BackupRow } from './backup.sql.ts';
import { signVersion } from './backup.version.ts';

/** Beyond this a prefix leads further. */
const LISTED_FILES = 100_000;

/** A site's files as they were; read from what is kept, and never from the site. */
export async function filesOf(services: Services, site: SiteRef, backup: BackupRow, prefix: string): Promise<PitFiles> {
  const { db, hosts } = services;
  const space = await spaceOf(db, site.id);
  const part = { prefix, limit: LISTED_FILES };
  const { files, isTruncated } = await hosts.keptFiles(site, space, snapshotNameOf(backup), part).catch(notPruned);
  return {
    backup_point: backup.created_at,
    files: files.map(({ path, sizeBytes, modifiedUs, ref }) => ({
      key: path,
      size: sizeBytes,
      modified_at: new Date(modifiedUs / 1000),
      version_id: signVersion(services, site.id, ref),
    })),
    is_truncated: isTruncated,
  };
}

/** Undefined for each key that the backup does not have. */
export async function findFiles(
  { db, hosts }: Services,
  site: SiteRef,
  backup: BackupRow,
  keys: readonly string[],
): Promise<(ListedFile | undefined)[]> {
  return hosts.findKeptFiles(site, await spaceOf(db, site.id), snapshotNameOf(backup), keys).catch(notPruned);
}

/** A prune is faster than its own list, and what is rotten is not offered as soon as a check has seen it. */
function notPruned(error: unknown): never {
  if (failedBy(error, 'missing_object', 'corrupt_object')) throw noBackup();
  throw error;
}
