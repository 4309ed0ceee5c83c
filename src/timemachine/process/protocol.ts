import type { Ref } from '../content.ts';
import type { SentFailure } from '../failure.ts';
import type { CheckBudget, CheckedSnapshots, CheckPlace, CheckTurn } from '../maintenance/checker.ts';
import type { MergeReport } from '../merge/merge-report.ts';
import type { MergeRules } from '../merge/merge-rules.ts';
import type { Progress } from '../progress.ts';
import type { FilePage, FilePart, ListedFile } from '../read.ts';
import type { Laid, Laying } from '../restore/lay-files.ts';
import type { Skipped } from '../snapshot.ts';
import type { DatabaseDescription } from '../sources/open-database.ts';
import type { StoreDescription } from '../stores/open-store.ts';
import type { QueueState } from '../stores/store.ts';
import type { KeepRules } from './keep-rules.ts';
import type { TellRules, ToldChanges } from './tell-rules.ts';

export type { CheckBudget, CheckedSnapshots, CheckPlace, CheckTurn, Laying, MergeReport, Progress };

/** So long one may have a process that others wait for. */
export const SHARED_MS = 10_000;

/** Where a site is: what to keep of it, and under which name. */
export interface SitePlace {
  /** Whose private objects these are; sites of one space share what they have in common. */
  space: string;
  site: string;
  content: string;
  database: DatabaseDescription;
  rules: KeepRules;
  /** For a restore to prepare itself in: on the file system of the content, and in no snapshot. */
  staging: string;
  /** A file for what is known of the content between two runs. */
  state: string;
  /** It took long last time, or came to no end. It gets a process of its own, so that nobody else waits for one that hangs. */
  isSuspect: boolean;
  /** A snapshot fails with `too_slow` after so long. Without it one that takes long goes on in a process of its own. */
  limitMs?: number;
  /** So much room on the site's disk is left to others. */
  reserveBytes?: number;
  /** The newest snapshot that the caller has written down; it is told of those that came after. */
  recorded: SnapshotName | null;
}

/** A new place for a copy. */
export interface CopyPlace extends Pick<SitePlace, 'content' | 'database' | 'state'> {
  /** Whom the copy has to belong to, where that is not whoever makes it. */
  owner?: number;
}

/** What to copy: a site by its name, and where it is by now, if it is anywhere. */
export type CopyOrigin = Pick<SitePlace, 'space' | 'site'> & { now: CopyPlace | null };

export interface SnapshotName {
  hash: string;
  timeMs: number;
}

export interface SnapshotReport extends SnapshotName {
  finishedMs: number;
  tablesSaved: string[];
  tablesSkipped: Skipped[];
  filesSkipped: Skipped[];
  isConsistent: boolean;
  filesAdded: number;
  filesChanged: number;
  filesRemoved: number;
  storedBytes: number;
}

export interface CutReport {
  /** The newest snapshot: this one, or where nothing had changed the one before. */
  newest: SnapshotReport;
  isNew: boolean;
  /** All that it stored, also where that is in no new snapshot. */
  storedBytes: number;
  /** Objects of the previous snapshot that the store has lost. Those that the site still has were stored again. */
  lostObjects: number;
  /** The work itself, without what it waited for. */
  tookMs: number;
  /** Snapshots before it that the caller has not written down: whoever took them died. */
  unrecorded: SnapshotReport[];
  trackedTables: string[];
  untrackedTables: string[];
}

/** What to bring back. */
export interface RestoreWish {
  point: SnapshotName;
  /** The tables come from here where it is another one. */
  tablesPoint?: SnapshotName;
  files: boolean;
  tables: boolean;
  deleteExtraFiles: boolean;
}

/** What to bring in of a copy of the site that has gone its own way. */
export interface MergeWish {
  /** The snapshot of the site that the copy was made from, or that it last went on from. */
  base: SnapshotName;
  /** The copy: as it was at that time, and as it is. */
  copy: { site: string; base: SnapshotName; now: SnapshotName };
  /** Where the site is and was in the base, and where its copy is: URLs that differ in nothing else are the same. */
  addresses: { ours: string; oursThen: string; theirs: string };
  rules: MergeRules;
  /** The site becomes what the copy is, whatever it has got since. */
  isReplaced: boolean;
  /** Whose it is what both have changed; without an answer nothing is done then. */
  conflicts: 'ours' | 'theirs' | 'refuse';
  /** Tables and files that stay as the site has them. */
  keepTables: string[];
  keepFiles: string[];
  /** Tables that become the copy's as a whole where they can not be merged row by row. */
  takeTables: string[];
  /** The report that somebody has seen: where it would be another one by now, nothing is done. */
  plan: string | null;
}

export interface FileDifference {
  path: string;
  change: 'added' | 'restored' | 'deleted';
  sizeBytes: number;
  /** The content now and at the point, by which each can be read. */
  before: string | null;
  after: string | null;
}

export interface TableDifference {
  name: string;
  change: 'restored' | 'deleted' | 'failed';
  reason: string | null;
  rowsAdded: number;
  rowsChanged: number;
  rowsRemoved: number;
  /** Some of the rows, for people. */
  sample: { key: unknown[]; before: Record<string, unknown> | null; after: Record<string, unknown> | null }[];
}

export interface Difference {
  counters: {
    filesAdded: number;
    filesDeleted: number;
    filesRestored: number;
    foldersAdded: number;
    tablesRestored: number;
    tablesDeleted: number;
    tablesSkipped: number;
    tablesFailed: number;
  };
  /** How many tables and files differ: as many as can be listed. */
  count: number;
  /** Of files that come from elsewhere. */
  laid?: Omit<Laid, 'tree'>;
}

/** A part of the list of all that differs. The list has an order of its own, tables before files. */
export interface Window {
  offset: number;
  limit: number;
}

export interface DifferenceList {
  tables: TableDifference[];
  files: FileDifference[];
}

/** Nobody needs the whole list at once, and of a large site nobody could bear it. */
export type ListDifference = (window: Window) => Promise<DifferenceList>;

export interface PlanReport<Now = CutReport> {
  /** The site as it is now, kept: restoring it undoes what is planned. */
  now: Now;
  difference: Difference;
}

/** What is about to be done; without `now` where the site itself is not looked at. */
export interface Announcement {
  now: CutReport | null;
  difference: Difference;
}

/** How a restore that was killed has ended; `lost`: it had begun, and the site is gone since, with what was placed in it. */
export type Recovery = 'finished' | 'undone' | 'lost';

export interface PruneWish {
  /** How long every snapshot of a site stays; a site that is not named keeps all of its own. */
  windowsMs: Record<string, number>;
  /** Snapshots that stay whatever retention says. */
  pinned: string[];
  /** Snapshots that can not be restored, so that none of them is kept in place of one that can. */
  damaged: string[];
  nowMs: number;
}

export interface PruneReport {
  snapshotsForgotten: number;
  bytesDeleted: number;
  /** What could not be read, and in whose space. */
  troubles: { space: string | null; trouble: string }[];
}

/** A place in the dump of a snapshot: tables in the order of their names, each in its ranges. */
export interface DumpPlace {
  table: number;
  range: number;
}

/** What can be asked of the process, and what it answers. */
export interface Calls {
  snapshot(place: SitePlace): CutReport;
  /** Lets go of all that is open of a site. */
  release(site: string): void;
  /** Without `now` where a part of the site is gone: that is not kept. */
  plan(place: SitePlace, wish: RestoreWish, window: Window): PlanReport<CutReport | null> & { list: DifferenceList };
  /** The same between two snapshots, whatever the site is like by now. */
  compare(
    from: Pick<SitePlace, 'space' | 'site' | 'rules'>,
    now: SnapshotName,
    wish: RestoreWish,
    window: Window,
  ): { difference: Difference; list: DifferenceList };
  /**
   * What became of the site from the first to the second of each pair, for people; null for a pair of which something is gone. It ends early rather
   * than taking long, with fewer answers than pairs, and with one at least.
   */
  tell(
    from: Pick<SitePlace, 'space' | 'site' | 'rules'>,
    pairs: readonly (readonly [SnapshotName, SnapshotName])[],
    rules: TellRules,
  ): (ToldChanges | null)[];
  restore(place: SitePlace, wish: RestoreWish | MergeWish): PlanReport;
  /** Keeps the site as it is, and puts all its tables into a database of the other kind, in place of what is there. */
  move(place: SitePlace, into: DatabaseDescription): CutReport;
  /** What a merge would bring, and what the site itself has got since; neither the site nor its copy is looked at. */
  compareCopy(
    from: Pick<SitePlace, 'space' | 'site' | 'rules' | 'database' | 'staging'>,
    now: SnapshotName,
    wish: MergeWish,
    window: Window,
  ): MergeReport;
  recover(place: SitePlace): Recovery;
  /** `name` keeps two rehearsals of a site apart. */
  rehearse(place: SitePlace, wish: RestoreWish, now: SnapshotName | null, name: string): void;
  /** Writes down what is known of a site, for other processes. */
  remember(site: string): void;
  copy(from: CopyOrigin, point: SnapshotName, into: CopyPlace): void;
  prune(wish: PruneWish): PruneReport;
  forget(space: string, site: string): void;
  /** One turn of going over all that is stored; without a budget all of it. */
  check(from?: CheckPlace | null, budget?: CheckBudget): CheckTurn;
  checkSite(space: string, site: string): CheckedSnapshots;
  /** What is kept of a site, by its space and its name (read.ts). */
  listSnapshots(space: string, site: string): string[];
  listFiles(space: string, site: string, moment: SnapshotName, part: FilePart): FilePage;
  findFiles(space: string, site: string, moment: SnapshotName, paths: readonly string[]): (ListedFile | undefined)[];
  findFileIn(space: string, site: string, moments: readonly SnapshotName[], path: string): (ListedFile | null)[];
  contentSize(space: string, site: string, ref: Ref): number;
  /** The bytes from `start` up to and without `end`. */
  readContent(space: string, site: string, ref: Ref, start: number, end: number): Uint8Array;
  /** A part of the tables as SQL, and where it goes on. */
  dump(
    from: Pick<SitePlace, 'space' | 'site' | 'rules'>,
    moment: SnapshotName,
    place: DumpPlace,
  ): { sql: Uint8Array; next: DumpPlace | null };
  /** Lays files over the site, as one step; their contents are asked of the caller. */
  deploy(place: SitePlace, laying: Laying): PlanReport;
  /** Brings what waits on this disk to the store. */
  upload(): QueueState;
}

export type CallName = keyof Calls;

export type ToProcess =
  /** Comes before everything else. */
  | { store: StoreDescription }
  | { id: number; call: CallName; args: unknown[] }
  /** The caller wants to see a part of what is planned. */
  | { id: number; list: Window }
  /** The caller has written down what is planned. */
  | { id: number; proceed: true }
  /** Contents that were asked for. */
  | { id: number; given: Uint8Array[] };

export type FromProcess =
  | { id: number; value: unknown }
  | { id: number; failure: SentFailure }
  | { id: number; progress: Progress }
  | { id: number; planned: Announcement }
  | { id: number; listed: DifferenceList }
  /** Wants to have the contents of these names. */
  | { id: number; wanted: string[] };

/** Where a rehearsal has its copy: beside the staging folder of the site. */
export function rehearsalFolder({ staging }: Pick<SitePlace, 'staging'>, name: string): string {
  return `${staging}-${name}`;
}
