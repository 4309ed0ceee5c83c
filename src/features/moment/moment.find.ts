import { inTransaction } from '#core/db/database.ts';
import type { Services } from '#core/services.ts';
import { viewpointOf } from '#features/backup/backup.ts';
import { findSiteById, type SiteRow } from '#features/instance/instance.ts';
import { HostUnreachable } from '#host/host-unreachable.ts';
import { tellRules } from '#runtimes/wordpress/tell-rules.ts';
import type { SnapshotName } from '#timemachine/process/protocol.ts';
import type { ToldChanges } from '#timemachine/process/tell-rules.ts';
import type { MomentKind } from './moment.schema.ts';
import { keepMoments, listUntold, listWorks, type PlatformWork, type Untold } from './moment.sql.ts';
import { plain } from './moment.told.ts';
import { wordsOfChanges } from './moment.words.ts';

const AT_ONCE = 100;
/** So many things of one minute are told; what is beyond is counted. */
const OF_A_MINUTE = 12;
const TEXT_LENGTH = 300;

interface Moment {
  kind: MomentKind;
  change: 'added' | 'changed' | 'removed';
  text: string;
  point?: Date | null;
}

/**
 * Tells what is new in the backups that nobody has told of, until all are told or the time is over. It reads what is kept, in a process that takes
 * no backups, and never the site. A backup of which it can not be worked out is told of once and with nothing; where its host is away it waits.
 */
export async function findMoments(
  services: Services,
  untilMs: number,
  { signal, only }: { signal?: AbortSignal; only?: readonly string[] } = {},
): Promise<void> {
  const away = new Set<string>();
  for (;;) {
    const untold = await listUntold(services.db, { away: [...away], only }, AT_ONCE);
    if (untold.length === 0) return;
    for (const [siteId, ofSite] of Map.groupBy(untold, ({ site_id }) => site_id)) {
      if (Date.now() > untilMs || signal?.aborted) return;
      if (!(await tellOfSite(services, ofSite))) away.add(siteId);
    }
  }
}

/** False where nobody is there to be asked. */
async function tellOfSite(services: Services, backups: readonly Untold[]): Promise<boolean> {
  const { db, log } = services;
  const [first] = backups as [Untold];
  const site = await findSiteById(db, first.site_id);
  const readable = backups.filter((each) => each.before_hash !== null && each.damaged_at === null);
  let told: Map<string, ToldChanges | null> | undefined;
  try {
    told = site ? await tell(services, site, readable) : new Map();
  } catch (error) {
    if (error instanceof HostUnreachable) return false;
    log.warn({ err: error, siteId: first.site_id }, 'it could not be told what is new in a backup');
    // What hung once would hang again; those after it have another chance.
    told = new Map(readable.slice(0, 1).map(({ id }) => [id, null]));
  }
  for (const backup of backups) {
    const isToBeRead = readable.includes(backup);
    const changes = told.get(backup.id);
    if (isToBeRead && changes === undefined) continue;
    const works = site && backup.before_at ? await listWorks(db, site, backup.before_at, backup.created_at) : [];
    const moments = momentsOf(backup, changes ?? null, works, site?.db_prefix ?? 'wp_');
    const keep = (told: typeof moments) => inTransaction(db, (tx) => keepMoments(tx, backup, told));
    // What can not be kept can not the next time: it must not come back first, for ever, before everybody else.
    await keep(moments).catch(async (error) => {
      log.warn({ err: error, siteId: first.site_id }, 'what is new in a backup could not be kept');
      await keep([]);
    });
  }
  return true;
}

/** By the id of the backup; fewer than were asked for where it takes long. */
async function tell(
  { db, hosts }: Services,
  site: SiteRow,
  backups: readonly Untold[],
): Promise<Map<string, ToldChanges | null>> {
  if (backups.length === 0) return new Map();
  const pairs = backups.map((each): [SnapshotName, SnapshotName] => [
    { hash: each.before_hash as string, timeMs: (each.before_at as Date).getTime() },
    { hash: each.commit_hash, timeMs: each.created_at.getTime() },
  ]);
  const told = await hosts.tell(site, await viewpointOf(db, site), pairs, tellRules(site.db_prefix), true);
  return new Map(told.map((changes, index) => [(backups[index] as Untold).id, changes]));
}

const WORDS: Record<PlatformWork['event_type'], { kind: MomentKind; text: string }> = {
  'restore.started': { kind: 'restore', text: 'Restored to an earlier minute' },
  'stage.committed': { kind: 'commit', text: 'Staging site brought to live' },
  'git.synced': { kind: 'deploy', text: 'Deployed from Git' },
};

function momentsOf(backup: Untold, changes: ToldChanges | null, works: PlatformWork[], prefix: string): Moment[] {
  if (backup.before_hash === null) return [{ kind: 'first', change: 'added', text: 'First backup' }];
  const done = works.map(({ event_type, point }): Moment => ({ change: 'changed', point, ...WORDS[event_type] }));
  // All that it undid would be told as if somebody had done it.
  if (done.some(({ kind }) => kind === 'restore')) return done;
  const { core_version: core, before_core } = backup;
  if (core !== null && before_core !== null && core !== before_core)
    done.push({ kind: 'core', change: 'changed', text: `WordPress updated to ${plain(core)}` });
  const all: Moment[] = [...done, ...(changes ? wordsOfChanges(changes, prefix) : [])];
  const shown = all.slice(0, all.length > OF_A_MINUTE ? OF_A_MINUTE - 1 : OF_A_MINUTE);
  const more = all.length - shown.length;
  const moments = shown.map(({ kind, change, text, point }) => {
    return { kind, change, text: text.slice(0, TEXT_LENGTH), ...(point && { point }) };
  });
  return more > 0 ? [...moments, { kind: 'more', change: 'changed', text: `${more} more changes` }] : moments;
}
