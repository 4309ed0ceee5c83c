import { Archiver } from '../archive/archiver.ts';
import { failedBy, TimeMachineFailure } from '../failure.ts';
import type { Repository, SiteRepository } from '../repository.ts';
import { readJournal } from '../restore/journal.ts';
import type { Snapshot, SnapshotId } from '../snapshot.ts';
import type { Database } from '../sources/database.ts';
import { databaseOf } from '../sources/open-database.ts';
import type { TableSource } from '../tables/table-source.ts';
import { boundedNames, boundedSkips } from './bounded-names.ts';
import { type Keeping, keepingBy } from './keep-rules.ts';
import type { CutReport, Progress, SitePlace, SnapshotName, SnapshotReport } from './protocol.ts';

/** One site with what is open of it, so that the next snapshot costs only what changed. */
export class KeptSite {
  readonly repository: SiteRepository;
  readonly database: Database;
  readonly source: TableSource;
  readonly keeping: Keeping;
  readonly #place: SitePlace;
  readonly #archiver: Archiver;
  readonly #identity: string | undefined;
  #tables: { tracked: Set<string>; untracked: Set<string> } = { tracked: new Set(), untracked: new Set() };
  #last: SnapshotId | undefined;

  private constructor(
    repository: Repository,
    place: SitePlace,
    opened: { database: Database; identity: string | undefined },
  ) {
    this.#place = place;
    this.#identity = opened.identity;
    this.repository = repository.site(place.space, place.site);
    this.database = opened.database;
    this.keeping = keepingBy(place.rules);
    this.source = this.database.source((name) => this.#isTracked(name), place.rules.neededTables);
    this.#archiver = new Archiver({
      repository: this.repository,
      folder: place.content,
      tables: this.source,
      stateFile: place.state,
      isPublic: this.keeping.isPublic,
      isNeverEmpty: true,
    });
  }

  static async open(repository: Repository, place: SitePlace): Promise<KeptSite> {
    const database = databaseOf(place.database);
    return new KeptSite(repository, place, { database, identity: await database.identity() });
  }

  /**
   * False where what is remembered is of no use any more: the site was moved, its database was put in place of another one,
   * or another process has taken a snapshot since.
   */
  async isCurrent(place: SitePlace): Promise<boolean> {
    if (whereaboutsOf(place) !== whereaboutsOf(this.#place)) return false;
    if ((await this.database.identity()) !== this.#identity) return false;
    return (await this.repository.snapshotAt())?.hash === this.#last?.hash;
  }

  async snapshot(
    { recorded, limitMs }: Pick<SitePlace, 'recorded' | 'limitMs'>,
    onProgress: (progress: Progress) => void,
  ) {
    if (await readJournal(this.#place.staging)) {
      throw new TimeMachineFailure('unfinished_restore', 'A restore of the site has not been finished');
    }
    this.#tables = { tracked: new Set(), untracked: new Set() };
    const begunAt = performance.now();
    const { id, snapshot, isNew, storedBytes, tablesVersion, changes, lostObjects } = await this.#archiver.snapshot({
      onProgress,
      limitMs,
    });
    const cut: CutReport = {
      newest: { ...this.#reportOf(id, snapshot), ...changes, storedBytes: isNew ? storedBytes : 0 },
      isNew,
      storedBytes,
      lostObjects,
      tookMs: performance.now() - begunAt,
      unrecorded: await this.#listUnrecorded(id, isNew ? snapshot.parent : id.hash, recorded),
      trackedTables: boundedNames([...this.#tables.tracked].sort()),
      untrackedTables: boundedNames([...this.#tables.untracked].sort()),
    };
    this.#last = id;
    return { cut, snapshot, tablesVersion };
  }

  remember(): Promise<void> {
    return this.#archiver.remember();
  }

  async close(): Promise<void> {
    await this.#archiver.remember().finally(() => this.source.close());
  }

  async #listUnrecorded(
    newest: SnapshotId,
    known: string | null,
    recorded: SnapshotName | null,
  ): Promise<SnapshotReport[]> {
    if (known === (recorded?.hash ?? null)) return [];
    const ids = (await this.repository.snapshots()).filter(({ hash, timeMs }) => {
      return hash !== newest.hash && timeMs > (recorded?.timeMs ?? 0);
    });
    const reports: SnapshotReport[] = [];
    for (const id of ids) {
      try {
        reports.push(this.#reportOf(id, await this.repository.readSnapshot(id)));
      } catch (error) {
        // A check tells of it. It is no reason to have no backups from now on.
        if (!failedBy(error, 'corrupt_object', 'missing_object')) throw error;
      }
    }
    return reports;
  }

  #isTracked(name: string): boolean {
    const tracked = this.keeping.isTracked(name);
    if (this.keeping.isKnown(name)) (tracked ? this.#tables.tracked : this.#tables.untracked).add(name);
    return tracked;
  }

  #reportOf(id: SnapshotId, snapshot: Snapshot): SnapshotReport {
    const { filesSkipped, isConsistent } = snapshot;
    return {
      hash: id.hash,
      timeMs: id.timeMs,
      finishedMs: Date.now(),
      tablesSaved: boundedNames(snapshot.tablesSaved.filter(this.keeping.isKnown)),
      tablesSkipped: boundedSkips(snapshot.tablesSkipped.filter(({ name }) => this.keeping.isKnown(name))),
      filesSkipped: boundedSkips(filesSkipped),
      isConsistent,
      filesAdded: 0,
      filesChanged: 0,
      filesRemoved: 0,
      storedBytes: 0,
    };
  }
}

function whereaboutsOf({ space, content, database, rules, staging, state }: SitePlace): string {
  return JSON.stringify([space, content, database, rules, staging, state]);
}
