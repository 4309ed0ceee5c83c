import assert from 'node:assert/strict';
import { join } from 'node:path';
import { Archiver } from '#timemachine/archive/archiver.ts';
import { check } from '#timemachine/maintenance/checker.ts';
import { Repository } from '#timemachine/repository.ts';
import { restoreInto } from '#timemachine/restore/restore-into.ts';
import type { SnapshotId } from '#timemachine/snapshot.ts';
import { SqliteSource } from '#timemachine/sources/sqlite.ts';
import { SqliteTarget } from '#timemachine/sources/sqlite-target.ts';
import { DiskStore } from '#timemachine/stores/disk.ts';
import type { TableTarget } from '#timemachine/tables/table-target.ts';
import { Random } from '../random.ts';
import { FaultyOperations } from './faulty-operations.ts';
import { RandomSite } from './random-site.ts';
import { truthOfDatabase, truthOfFolder } from './truth.ts';

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;

type Truth = { files: Record<string, string>; tables: Record<string, string> };

/** A site with a store in which the disk fails on demand. */
export class World {
  readonly faulty = new FaultyOperations();
  readonly random: Random;
  readonly site: RandomSite;
  readonly folder: string;
  readonly past: { id: SnapshotId; truth: Truth }[] = [];
  nowMs = Date.now() - 100 * HOUR_MS;
  #copies = 0;

  constructor(folder: string, seed: number) {
    this.folder = folder;
    this.random = new Random(seed);
    this.site = new RandomSite(join(folder, 'site'), join(folder, 'site.sqlite'), this.random);
  }

  truth(): Truth {
    return { files: truthOfFolder(this.site.folder), tables: truthOfDatabase(this.site.database) };
  }

  /** A process: it knows nothing of those before it, and may fail. */
  async process<T>(work: (parts: Process) => Promise<T>): Promise<T | undefined> {
    const store = new DiskStore(join(this.folder, 'store'), this.faulty.operations);
    const repository = new Repository(store);
    const source = new SqliteSource(this.site.database);
    const target = new SqliteTarget(this.site.database);
    const site = repository.site('owner', 'site');
    const archiver = new Archiver({
      repository: site,
      folder: this.site.folder,
      tables: source,
      now: () => this.nowMs,
    });
    try {
      return await work({ repository, site, source, target: this.#mortal(target), archiver });
    } catch (error) {
      if (!(error instanceof Error) || !/process is gone|injected/.test(error.message)) throw error;
      return undefined;
    } finally {
      await archiver.remember().catch(() => {});
      store.close();
      await source.close();
      await target.close();
      this.faulty.revive();
    }
  }

  /** A dead process commits nothing. */
  #mortal(target: TableTarget): TableTarget {
    const die = () => {
      if (this.faulty.isDead) throw new Error('The process is gone');
    };
    return {
      stage: (table, batches) => target.stage(table, batches),
      discardStaged: () => target.discardStaged(),
      close: () => target.close(),
      transaction: (work) =>
        target.transaction(async (changes) => {
          die();
          return work(changes);
        }),
    };
  }

  async snapshot(): Promise<void> {
    this.nowMs += MINUTE_MS;
    const truth = this.truth();
    const result = await this.process(({ archiver }) => archiver.snapshot());
    if (result?.isNew) this.past.push({ id: result.id, truth });
  }

  /** Every snapshot that was reported finished, and still should be there, is there, and one of them is read in full. */
  async assertNothingLost(kept = this.past): Promise<void> {
    await this.process(async ({ repository, site }) => {
      const report = await check(repository);
      assert.deepEqual(report.faults, []);
      const found = new Set((await site.snapshots()).map(({ hash }) => hash));
      for (const { id } of kept) assert.ok(found.has(id.hash), `snapshot ${id.key} is lost`);
      const some = this.random.pick(kept);
      if (some) assert.deepEqual(await this.copyOf(site, some.id), some.truth);
    });
  }

  async copyOf(site: Process['site'], id: SnapshotId): Promise<Truth> {
    const copy = join(this.folder, `copy${this.#copies++}`);
    const target = new SqliteTarget(`${copy}.sqlite`);
    try {
      await restoreInto(site, await site.readSnapshot(id), { folder: copy, tables: target });
    } finally {
      await target.close();
    }
    return { files: truthOfFolder(copy), tables: truthOfDatabase(`${copy}.sqlite`) };
  }
}

interface Process {
  repository: Repository;
  site: ReturnType<Repository['site']>;
  source: SqliteSource;
  target: TableTarget;
  archiver: Archiver;
}
