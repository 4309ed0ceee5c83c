import { statSync } from 'node:fs';
import { Archiver } from '../archive/archiver.ts';
import { TimeMachineFailure } from '../failure.ts';
import type { Repository, SiteRepository } from '../repository.ts';
import { readJournal } from '../restore/journal.ts';
import type { Snapshot, SnapshotId } from '../snapshot.ts';
import { SqliteSource } from '../sources/sqlite.ts';
import type { CutReport, Moment, Progress, SitePlace, SnapshotReport } from './protocol.ts';

/** Content that many sites have in common and that is nobody's secret. */
const PUBLIC = /^(?:plugins|themes)\//;
/** Tables that hold nothing but caches and sessions: they change all the time, and nobody wants them back. */
const FLEETING = /(?:^|_)(?:sessions?|caches?|object_cache|transients?)$/;
/** What the SQLite driver of WordPress keeps to itself: the schema as MySQL would tell it. It goes with the tables. */
const OF_THE_DRIVER = /^_(?:wp|mysql)_/;

function isTracked(table: string, prefix: string): boolean {
  return (table.startsWith(prefix) || !isOfSite(table)) && !FLEETING.test(table);
}

/** Whether the table is one that the site's people know of. */
export function isOfSite(table: string): boolean {
  return !OF_THE_DRIVER.test(table);
}

/** The tables of a site, for work that remembers nothing. */
export function sourceOf({ database, tablePrefix }: SitePlace): SqliteSource {
  return new SqliteSource(database.file, { isTracked: (name) => isTracked(name, tablePrefix) });
}

/** One site with what is open of it, so that the next snapshot costs only what changed. */
export class KeptSite {
  readonly repository: SiteRepository;
  readonly source: SqliteSource;
  readonly #place: SitePlace;
  readonly #archiver: Archiver;
  readonly #inode: number | undefined;
  #tables: { tracked: Set<string>; untracked: Set<string> } = { tracked: new Set(), untracked: new Set() };
  #last: SnapshotId | undefined;

  constructor(repository: Repository, place: SitePlace) {
    this.#place = place;
    this.#inode = inodeOf(place);
    this.repository = repository.site(place.space, place.site);
    this.source = new SqliteSource(place.database.file, { isTracked: (name) => this.#isTracked(name) });
    this.#archiver = new Archiver({
      repository: this.repository,
      folder: place.content,
      tables: this.source,
      stateFile: place.state,
      isPublic: (path) => PUBLIC.test(path),
    });
  }

  /**
   * False where what is remembered is of no use any more: the site was moved, its database was put in place of another one,
   * or another process has taken a snapshot since.
   */
  async isCurrent(place: SitePlace): Promise<boolean> {
    if (pathsOf(place) !== pathsOf(this.#place) || inodeOf(place) !== this.#inode) return false;
    return (await this.repository.snapshotAt())?.hash === this.#last?.hash;
  }

  async snapshot(recorded: Moment | null, onProgress: (progress: Progress) => void) {
    if (await readJournal(this.#place.staging)) {
      throw new TimeMachineFailure('unfinished_restore', 'A restore of the site has not been finished');
    }
    this.#tables = { tracked: new Set(), untracked: new Set() };
    const { id, snapshot, isNew, storedBytes, tablesVersion, changes } = await this.#archiver.snapshot({ onProgress });
    const cut: CutReport = {
      newest: { ...reportOf(id, snapshot), ...changes, storedBytes },
      isNew,
      unrecorded: await this.#listUnrecorded(id, isNew ? snapshot.parent : id.hash, recorded),
      trackedTables: [...this.#tables.tracked].sort(),
      untrackedTables: [...this.#tables.untracked].sort(),
    };
    this.#last = id;
    return { cut, snapshot, tablesVersion };
  }

  async close(): Promise<void> {
    await this.#archiver.close();
    this.source.close();
  }

  async #listUnrecorded(newest: SnapshotId, known: string | null, recorded: Moment | null): Promise<SnapshotReport[]> {
    if (known === (recorded?.hash ?? null)) return [];
    const ids = (await this.repository.snapshots()).filter(({ hash, timeMs }) => {
      return hash !== newest.hash && timeMs > (recorded?.timeMs ?? 0);
    });
    const reports: SnapshotReport[] = [];
    for (const id of ids) reports.push(reportOf(id, await this.repository.readSnapshot(id)));
    return reports;
  }

  #isTracked(name: string): boolean {
    const tracked = isTracked(name, this.#place.tablePrefix);
    if (isOfSite(name)) (tracked ? this.#tables.tracked : this.#tables.untracked).add(name);
    return tracked;
  }
}

function pathsOf({ space, content, database, tablePrefix, staging, state }: SitePlace): string {
  return JSON.stringify([space, content, database, tablePrefix, staging, state]);
}

function inodeOf({ database: { file } }: SitePlace): number | undefined {
  return statSync(file, { throwIfNoEntry: false })?.ino;
}

function reportOf(id: SnapshotId, snapshot: Snapshot): SnapshotReport {
  const { filesSkipped, isConsistent } = snapshot;
  return {
    hash: id.hash,
    timeMs: id.timeMs,
    finishedMs: Date.now(),
    tablesSaved: snapshot.tablesSaved.filter(isOfSite),
    tablesSkipped: snapshot.tablesSkipped.filter(({ name }) => isOfSite(name)),
    filesSkipped,
    isConsistent,
    filesAdded: 0,
    filesChanged: 0,
    filesRemoved: 0,
    storedBytes: 0,
  };
}
