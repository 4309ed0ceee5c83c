import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { StartupError } from '#core/startup-error.ts';
import type { Config } from '../config.ts';

/** Rejects a start that would create an empty platform beside the key and the sites of one whose database is lost. */
export async function rejectLostDatabase({ databaseUrl, dataDir }: Config): Promise<void> {
  if (databaseUrl !== undefined || existsSync(join(dataDir, 'postgres/cluster'))) return;
  const sites = await readdir(join(dataDir, 'sites')).catch(() => []);
  const left = [
    existsSync(join(dataDir, 'secret.key')) && 'the key of a platform (secret.key)',
    sites.length > 0 && `${sites.length} ${sites.length === 1 ? 'site' : 'sites'}`,
  ].filter(Boolean);
  if (left.length === 0) return;
  throw new StartupError(
    `DATA_DIR (${dataDir}) holds ${left.join(' and ')}, but the database is missing (postgres/cluster). Nothing was changed. ` +
      'Put the folder postgres back, or run restore-platform with a backup of the platform. For a new platform, set DATA_DIR to an empty folder.',
  );
}

export function lostKey(dataDir: string): StartupError {
  return new StartupError(
    `The database belongs to a platform, but its key is missing (${join(dataDir, 'secret.key')}). Nothing was changed. ` +
      'Put the file back, or set SECRET_KEY. A backup of the platform holds the key: run restore-platform with DATA_DIR set to an empty folder ' +
      'and without DATABASE_URL, and copy secret.key from there.',
  );
}
