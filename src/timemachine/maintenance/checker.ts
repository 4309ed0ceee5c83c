import { failedBy } from '../failure.ts';
import { type Hash, hashOf } from '../hash.ts';
import { verifyPack } from '../pack.ts';
import { condemnedPack, type Pool } from '../pool.ts';
import type { Repository } from '../repository.ts';
import { parseSnapshotName } from '../snapshot.ts';
import { References } from './references.ts';

export interface CheckReport {
  /** One sentence each; empty when every byte is right and every snapshot complete. */
  faults: string[];
  packs: number;
  objects: number;
  snapshots: number;
  bytes: number;
}

/**
 * Reads and verifies every byte of the store: packs, the objects in them, and that every snapshot of every site finds all
 * that it needs. It changes nothing and may run beside anything else.
 */
export async function check(repository: Repository): Promise<CheckReport> {
  const report: CheckReport = { faults: [], packs: 0, objects: 0, snapshots: 0, bytes: 0 };
  const known = new Set<string>();
  // Snapshots first: what is published before its objects are listed finds them all.
  const published = new Map<string, Awaited<ReturnType<typeof listSites>>>();
  for (const owner of await repository.owners()) published.set(owner, await listSites(repository, owner));
  const shared = await checkPool(repository.shared, report, known);
  for (const [owner, sites] of published) {
    const own = await checkPool(repository.pool(owner), report, known);
    for (const { site, ids } of sites) {
      const references = new References(site);
      for (const id of ids) {
        known.add(id.key);
        report.snapshots++;
        try {
          const bytes = await repository.store.get(id.key);
          report.bytes += bytes.length;
          await references.addSnapshot(await site.readSnapshot(id));
        } catch (error) {
          // Retention forgot it since we listed it.
          if (!(await site.hasSnapshot(id))) continue;
          report.faults.push(`Snapshot ${id.key}: ${(error as Error).message}`);
        }
      }
      const missing = [
        ...[...references.private].filter((hash) => !own.has(hash)),
        ...[...references.shared].filter((hash) => !shared.has(hash)),
      ];
      for (const hash of missing) report.faults.push(`Site ${site.prefix} needs object ${hash}, which is missing`);
    }
  }
  await findStrays(repository, known, report);
  return report;
}

async function listSites(repository: Repository, owner: string) {
  const sites = await repository.sitesOf(owner);
  return Promise.all(sites.map(async (site) => ({ site, ids: await site.snapshots() })));
}

/** Returns the hashes of all objects that are sound. */
async function checkPool(pool: Pool, report: CheckReport, known: Set<string>): Promise<Set<Hash>> {
  await pool.refresh();
  const sound = new Set<Hash>();
  for (const id of await pool.store.names(`${pool.prefix}/packs`)) {
    const key = pool.packKey(id);
    known.add(key);
    const bytes = await pool.store.get(key).catch((error) => {
      if (!failedBy(error, 'missing_object')) throw error;
    });
    // A prune deleted it since we listed it; what was needed of it is in another pack.
    if (!bytes) continue;
    report.packs++;
    report.bytes += bytes.length;
    const frames = verifyPack(id, bytes, (fault) => report.faults.push(fault));
    for (const { hash } of frames) sound.add(hash);
    report.objects += frames.length;
  }
  return sound;
}

/** Everything in a store has a meaning; what has none is the remains of damage. */
async function findStrays(repository: Repository, known: ReadonlySet<string>, report: CheckReport): Promise<void> {
  const objects = [...(await repository.store.list('owners')), ...(await repository.store.list('shared'))];
  for (const { key, sizeBytes } of objects) {
    if (known.has(key)) continue;
    const [name = '', folder] = key.split('/').reverse();
    const isEmptyMarker = folder === 'condemned' && condemnedPack(name).length === hashOf('').length;
    if (isEmptyMarker && sizeBytes === 0) continue;
    // Written since we listed the snapshots and packs.
    if (folder === 'packs' || parseSnapshotName(`${folder}/${name}`)) continue;
    report.faults.push(`Nobody knows what ${key} is`);
  }
}
