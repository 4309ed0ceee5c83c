import { failedBy } from '../failure.ts';
import { hashOf } from '../hash.ts';
import { verifyPack } from '../pack.ts';
import { NOWHERE, type Pool } from '../pool.ts';
import type { Repository, SiteRepository } from '../repository.ts';
import { parseSnapshotName, type SnapshotId } from '../snapshot.ts';
import { Completeness } from './completeness.ts';

/** How far a check is: in which pool, and what of it was looked at last. */
export interface CheckPlace {
  pool: string;
  after: string;
}

/** So much at a time. One pack or one snapshot is looked at in any case. */
export interface CheckBudget {
  bytes: number;
  ms: number;
}

export interface CheckReport {
  /** One sentence each; empty when every byte is right and every snapshot complete. */
  faults: string[];
  packs: number;
  objects: number;
  snapshots: number;
  bytes: number;
  sites: CheckedSnapshots[];
}

/** What one turn found, and where the next goes on; null at the end of everything. */
export type CheckTurn = CheckReport & { next: CheckPlace | null };

/** Some snapshots of a site in a row: all that there are from one instant up to another. */
export interface CheckedSnapshots {
  space: string;
  site: string;
  afterMs: number;
  /** Null where the newest is among them. */
  upToMs: number | null;
  whole: string[];
  /** Those that can not be brought back. */
  damaged: string[];
}

const EVERYTHING: CheckBudget = { bytes: Number.POSITIVE_INFINITY, ms: Number.POSITIVE_INFINITY };

/**
 * One turn of a check that reads and verifies every byte of the store, pool by pool: packs, the objects in them, and that every
 * snapshot finds all that it needs. What is found to be bad is marked, and what was marked and is sound is marked no longer;
 * nothing else is changed. Turns may be broken off, repeated and run beside each other and anything else.
 */
export async function check(
  repository: Repository,
  from: CheckPlace | null = null,
  budget: CheckBudget = EVERYTHING,
): Promise<CheckTurn> {
  const report = newReport();
  const deadlineMs = performance.now() + budget.ms;
  const isSpent = () => report.bytes >= budget.bytes || performance.now() >= deadlineMs;
  const spaces = (await repository.owners()).map((owner) => `owners/${owner}`).sort();
  for (const name of ['shared', ...spaces]) {
    // The shared pool comes first.
    if (from && from.pool !== 'shared' && (name === 'shared' || name < from.pool)) continue;
    const after = from?.pool === name ? from.after : '';
    const turn = new PoolTurn(repository, name, report, isSpent);
    // What one can not be looked at for keeps nobody else's from being looked at.
    const stoppedAt = await turn.run(after).catch((error: Error) => {
      // Nothing is known of what can not be reached: a later turn goes on from here.
      if (failedBy(error, 'store_away')) return after;
      report.faults.push(`Pool ${name} could not be checked: ${error.message}`);
    });
    if (stoppedAt !== undefined) return { ...report, next: { pool: name, after: stoppedAt } };
  }
  return { ...report, next: null };
}

/** All snapshots of one site. */
export async function checkSite(repository: Repository, space: string, site: string): Promise<CheckedSnapshots> {
  const report = newReport();
  await new PoolTurn(repository, `owners/${space}`, report, () => false).checkSite(repository.site(space, site), '');
  return report.sites[0] as CheckedSnapshots;
}

class PoolTurn {
  readonly #repository: Repository;
  readonly #space: string | undefined;
  readonly #pool: Pool;
  readonly #report: CheckReport;
  readonly #isSpent: () => boolean;

  constructor(repository: Repository, name: string, report: CheckReport, isSpent: () => boolean) {
    this.#repository = repository;
    this.#space = name === 'shared' ? undefined : name.slice('owners/'.length);
    this.#pool = this.#space === undefined ? repository.shared : repository.pool(this.#space);
    this.#report = report;
    this.#isSpent = isSpent;
  }

  /** Where it stopped; undefined when it came to the end. */
  async run(after: string): Promise<string | undefined> {
    return (await this.#checkPacks(after)) ?? (await this.#checkSites(after)) ?? (await this.#findStrays());
  }

  async #checkPacks(after: string): Promise<string | undefined> {
    const pool = this.#pool;
    if (after === '') await pool.store.lookAgain?.(pool.prefix);
    await pool.refresh();
    for (const id of await pool.store.names(`${pool.prefix}/packs`)) {
      const name = `packs/${id}`;
      if (name <= after) continue;
      await this.#checkPack(id);
      if (this.#isSpent()) return name;
    }
    for (const hash of pool.rotten().get(NOWHERE) ?? []) if (pool.isSound(hash)) await pool.unmarkRotten(hash, NOWHERE);
    await pool.refresh();
    return undefined;
  }

  async #checkPack(id: string): Promise<void> {
    const pool = this.#pool;
    const report = this.#report;
    const bytes = await pool.store.get(pool.packKey(id)).catch((error) => {
      if (failedBy(error, 'corrupt_object')) return Buffer.alloc(0);
      if (!failedBy(error, 'missing_object')) throw error;
    });
    // A prune deleted it since we listed it; what was needed of it is in another pack.
    if (!bytes) return;
    report.packs++;
    report.bytes += bytes.length;
    const sound = new Set(verifyPack(id, bytes, (fault) => report.faults.push(fault)).map(({ hash }) => hash));
    report.objects += sound.size;
    for (const { hash } of pool.packs().get(id) ?? []) if (!sound.has(hash)) await pool.markRotten(hash, id);
    for (const hash of pool.rotten().get(id) ?? []) if (sound.has(hash)) await pool.unmarkRotten(hash, id);
  }

  async #checkSites(after: string): Promise<string | undefined> {
    if (this.#space === undefined) return undefined;
    for (const site of await this.#repository.sitesOf(this.#space)) {
      const name = `sites/${site.site}/`;
      // Sorted as these names are, and all of a site's come after its own.
      if (name < after && !after.startsWith(name)) continue;
      const stoppedAt = await this.checkSite(site, after.startsWith(name) ? after.slice(name.length) : '');
      if (stoppedAt !== undefined) return `${name}${stoppedAt}`;
    }
    return undefined;
  }

  async checkSite(site: SiteRepository, after: string): Promise<string | undefined> {
    const report = this.#report;
    // Snapshots first: what is published before its objects are listed finds them all.
    const ids = await site.snapshots();
    await site.refresh();
    const completeness = new Completeness(site);
    const start = ids.findIndex((id) => nameOf(site, id) > after);
    const part: CheckedSnapshots = {
      space: site.space,
      site: site.site,
      afterMs: ids[start - 1]?.timeMs ?? 0,
      upToMs: null,
      whole: [],
      damaged: [],
    };
    report.sites.push(part);
    for (const [index, id] of (start < 0 ? [] : ids.slice(start)).entries()) {
      report.snapshots++;
      report.bytes += SNAPSHOT_BYTES;
      const isWhole = await this.#isWhole(site, id, completeness);
      if (isWhole !== undefined) (isWhole ? part.whole : part.damaged).push(id.hash);
      if (!this.#isSpent() || start + index === ids.length - 1) continue;
      part.upToMs = id.timeMs;
      this.#tellMissing(site, completeness);
      return nameOf(site, id);
    }
    this.#tellMissing(site, completeness);
    return this.#isSpent() ? LAST : undefined;
  }

  /** Undefined where retention forgot it since we listed it. */
  async #isWhole(site: SiteRepository, id: SnapshotId, completeness: Completeness): Promise<boolean | undefined> {
    try {
      const isComplete = await completeness.isComplete(await site.readSnapshot(id));
      return isComplete || !(await site.hasSnapshot(id)) ? isComplete || undefined : false;
    } catch (error) {
      if (!failedBy(error, 'corrupt_object', 'missing_object', 'short_object')) throw error;
      if (!(await site.hasSnapshot(id))) return undefined;
      this.#report.faults.push(`Snapshot ${id.key}: ${error.message}`);
      return false;
    }
  }

  #tellMissing(site: SiteRepository, { missing }: Completeness): void {
    for (const hash of missing) this.#report.faults.push(`Site ${site.prefix} needs object ${hash}, which is missing`);
  }

  /** Everything in a store has a meaning; what has none is the remains of damage. */
  async #findStrays(): Promise<undefined> {
    const { store, prefix } = this.#pool;
    for (const { key, sizeBytes } of await store.list(prefix)) {
      const [name = '', folder = ''] = key.split('/').reverse();
      if (folder === 'packs' || parseSnapshotName(`${folder}/${name}`)) continue;
      const isMark = ['condemned', 'rotten'].includes(folder) && name.split('-').at(-1)?.length === hashOf('').length;
      if (!isMark || sizeBytes > 0) this.#report.faults.push(`Nobody knows what ${key} is`);
    }
  }
}

/** What a snapshot counts for, about: most of what it needs was looked at with the one before. */
const SNAPSHOT_BYTES = 4096;
/** After every snapshot of a site. */
const LAST = '~';

function nameOf(site: SiteRepository, { key }: SnapshotId): string {
  return key.slice(`${site.prefix}/snapshots/`.length);
}

function newReport(): CheckReport {
  return { faults: [], packs: 0, objects: 0, snapshots: 0, bytes: 0, sites: [] };
}
