import type { Services } from '#core/services.ts';
import type { KeptAs } from '#host/site-host.ts';
import { keepRules } from '#runtimes/wordpress/keep-rules.ts';
import type { SnapshotName } from '#timemachine/process/protocol.ts';
import { type BackupRow, findNewest } from './backup.sql.ts';
import { type BackupClockRow, findClock } from './backup-clock.sql.ts';

/** How the time machine keeps a site. */
export async function keptAs({ db }: Pick<Services, 'db'>, site: { id: string; db_prefix: string }): Promise<KeptAs> {
  const { space, is_slow } = await requireClock(db, site.id);
  const newest = await findNewest(db, site.id);
  return {
    space,
    rules: keepRules(site.db_prefix),
    isSuspect: is_slow,
    recorded: newest ? snapshotNameOf(newest) : null,
  };
}

/** The snapshot that a row stands for. */
export function snapshotNameOf({
  commit_hash,
  created_at,
}: Pick<BackupRow, 'commit_hash' | 'created_at'>): SnapshotName {
  return { hash: commit_hash, timeMs: created_at.getTime() };
}

/** What to compare two backups of a site by. */
export async function viewpointOf(
  db: Services['db'],
  site: { id: string; db_prefix: string },
): Promise<Pick<KeptAs, 'space' | 'rules'>> {
  return { space: await spaceOf(db, site.id), rules: keepRules(site.db_prefix) };
}

/** Under which name a site's backups are kept. */
export async function spaceOf(db: Services['db'], siteId: string): Promise<string> {
  return (await requireClock(db, siteId)).space;
}

async function requireClock(db: Services['db'], siteId: string): Promise<BackupClockRow> {
  const clock = await findClock(db, siteId);
  if (!clock) throw new Error(`nothing is known of the backups of site ${siteId}`);
  return clock;
}
