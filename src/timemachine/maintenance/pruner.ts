import type { Hash } from '../hash.ts';
import type { Repository, SiteRepository } from '../repository.ts';
import type { SnapshotId } from '../snapshot.ts';
import { References } from './references.ts';
import { snapshotsToForget } from './retention.ts';
import { GRACE_MS, type SweepReport, sweep } from './sweep.ts';

export interface PruneOptions {
  /** How long every snapshot of the site stays. */
  windowMs: (site: SiteRepository) => number;
  /** Snapshots that stay whatever retention says, such as the undo of a restore that is running. */
  isPinned?: (site: SiteRepository, id: SnapshotId) => boolean;
  nowMs?: number;
  graceMs?: number;
}

export interface PruneReport extends SweepReport {
  snapshotsForgotten: number;
}

/**
 * Forgets the snapshots that retention does not ask for, then frees what no snapshot needs any more. It takes no lock and
 * may run beside snapshots, restores and itself. Where a snapshot can not be read nothing of its pool is freed.
 */
export async function prune(repository: Repository, options: PruneOptions): Promise<PruneReport> {
  const { nowMs = Date.now(), graceMs = GRACE_MS } = options;
  const total = { snapshotsForgotten: 0, packsCondemned: 0, packsDeleted: 0, packsWritten: 0, bytesDeleted: 0 };
  const add = (part: SweepReport) => {
    for (const name of Object.keys(part) as (keyof SweepReport)[]) total[name] += part[name];
  };
  const shared = new Set<Hash>();
  for (const owner of await repository.owners()) {
    const own = new Set<Hash>();
    for (const site of await repository.sitesOf(owner)) {
      total.snapshotsForgotten += await thin(site, options, nowMs);
      const references = await referencesOf(site);
      for (const hash of references.private) own.add(hash);
      for (const hash of references.shared) shared.add(hash);
    }
    add(await sweep(repository.pool(owner), own, { nowMs, graceMs }));
  }
  add(await sweep(repository.shared, shared, { nowMs, graceMs }));
  await repository.store.removeAbandoned?.();
  return total;
}

/** Removes a site's snapshots. What only they needed is freed by the next prunes. */
export async function forgetSite(site: SiteRepository): Promise<void> {
  for (const id of await site.snapshots()) await site.forget(id);
}

async function thin(site: SiteRepository, { windowMs, isPinned }: PruneOptions, nowMs: number): Promise<number> {
  const forgotten = snapshotsToForget(await site.snapshots(), windowMs(site), nowMs);
  const going = forgotten.filter((id) => !isPinned?.(site, id));
  for (const id of going) await site.forget(id);
  return going.length;
}

async function referencesOf(site: SiteRepository): Promise<References> {
  await site.refresh();
  const references = new References(site);
  for (const id of await site.snapshots()) await references.addSnapshot(await site.readSnapshot(id));
  return references;
}
