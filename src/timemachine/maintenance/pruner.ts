import { failedBy } from '../failure.ts';
import type { Hash } from '../hash.ts';
import { References } from '../references.ts';
import type { Repository, SiteRepository } from '../repository.ts';
import type { SnapshotId } from '../snapshot.ts';
import { snapshotsToForget } from './retention.ts';
import { GRACE_MS, type SweepReport, sweep } from './sweep.ts';

export interface PruneOptions {
  /** How long every snapshot of the site stays. */
  windowMs: (site: SiteRepository) => number;
  /** Snapshots that stay whatever retention says, such as the undo of a restore that is running. */
  isPinned?: (site: SiteRepository, id: SnapshotId) => boolean;
  /** Snapshots that are known not to be restorable. */
  isDamaged?: (id: SnapshotId) => boolean;
  nowMs?: number;
  graceMs?: number;
}

export interface PruneReport extends SweepReport {
  snapshotsForgotten: number;
  /** What went wrong, and in whose space; everybody else's is pruned all the same. */
  troubles: PruneTrouble[];
}

interface PruneTrouble {
  /** Null where it is in what all have in common. */
  space: string | null;
  trouble: string;
}

/**
 * Forgets the snapshots that retention does not ask for, then frees what no snapshot needs any more. It takes no lock and
 * may run beside snapshots, restores and itself. What can not be read of a snapshot is told, and what only that part would
 * have named is not needed: nothing can bring that back but the same content, which would be stored again with all that is
 * in it. It takes two prunes until it is gone, so a disk that is wrong for an hour takes nothing with it.
 */
export async function prune(repository: Repository, options: PruneOptions): Promise<PruneReport> {
  const { nowMs = Date.now(), graceMs = GRACE_MS } = options;
  const troubles: PruneTrouble[] = [];
  const tell = (space: string | null) => (trouble: string) => void troubles.push({ space, trouble });
  const total = { snapshotsForgotten: 0, packsCondemned: 0, packsDeleted: 0, packsWritten: 0, bytesDeleted: 0 };
  const add = (part: SweepReport) => {
    for (const name of Object.keys(part) as (keyof SweepReport)[]) total[name] += part[name];
  };
  const shared = new Set<Hash>();
  let areAllKnown = true;
  for (const owner of await repository.owners()) {
    const onTrouble = tell(owner);
    let isKnown = false;
    try {
      const own = new Set<Hash>();
      for (const site of await repository.sitesOf(owner)) {
        total.snapshotsForgotten += await thin(site, options, nowMs);
        const references = await referencesOf(site, onTrouble);
        for (const hash of references.private) own.add(hash);
        for (const hash of references.shared) shared.add(hash);
      }
      isKnown = true;
      add(await sweep(repository.pool(owner), own, { nowMs, graceMs, onTrouble }));
    } catch (error) {
      // Also of what all have in common nobody knows then what this one needs.
      areAllKnown &&= isKnown;
      onTrouble((error as Error).message);
    }
  }
  const onTrouble = tell(null);
  if (areAllKnown) add(await sweep(repository.shared, shared, { nowMs, graceMs, onTrouble }));
  await repository.store.removeAbandoned?.();
  return { ...total, troubles };
}

/** Removes a site's snapshots. What only they needed is freed by the next prunes. */
export async function forgetSite(site: SiteRepository): Promise<void> {
  for (const id of await site.snapshots()) await site.forget(id);
}

async function thin(site: SiteRepository, options: PruneOptions, nowMs: number): Promise<number> {
  const { windowMs, isPinned, isDamaged } = options;
  const forgotten = snapshotsToForget(await site.snapshots(), windowMs(site), nowMs, isDamaged);
  const going = forgotten.filter((id) => !isPinned?.(site, id));
  for (const id of going) await site.forget(id);
  return going.length;
}

async function referencesOf(site: SiteRepository, onTrouble: (trouble: string) => void): Promise<References> {
  await site.refresh();
  const references = new References(site, ({ message }) => onTrouble(`${site.prefix}: ${message}`));
  for (const id of await site.snapshots()) {
    const snapshot = await site.readSnapshot(id).catch((error) => {
      // Forgotten by another prune, which runs beside this one, or nobody can read it any more.
      if (!failedBy(error, 'corrupt_object', 'missing_object')) throw error;
      if (failedBy(error, 'corrupt_object')) onTrouble(`${id.key}: ${error.message}`);
    });
    if (snapshot) await references.addSnapshot(snapshot);
  }
  return references;
}
