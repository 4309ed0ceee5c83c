import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import type {
  Adaptation,
  ArchivedSite,
  ArchiveSource,
  Command,
  CommandResult,
  DatabaseKind,
  EditorState,
  FirstContent,
  OutgoingMail,
  ProgramOptions,
  RunningSite,
  ShellKind,
  SiteSpec,
  TerminalOptions,
  TerminalSize,
} from '#runtimes/runtime.ts';
import type { CallOptions } from '#timemachine/process/helper-process.ts';
import type {
  CheckBudget,
  CheckedSnapshots,
  CheckPlace,
  CheckTurn,
  CutReport,
  Difference,
  DifferenceList,
  Laying,
  MergeReport,
  MergeWish,
  PlanReport,
  PruneReport,
  PruneWish,
  Recovery,
  RestoreWish,
  SitePlace,
  SnapshotName,
  Window,
} from '#timemachine/process/protocol.ts';
import type { TellRules, ToldChanges } from '#timemachine/process/tell-rules.ts';
import type { FilePage, FilePart, ListedFile } from '#timemachine/read.ts';
import type { LogKind } from './site-log/entries.ts';
import type { ErrorGroups } from './site-log/error-groups.ts';
import type { LogPage, LogPlace, LogQuery, PlacedEntry } from './site-log/log-reader.ts';

/**
 * The one door to where sites live: whatever touches a site's files, its database or its processes goes through here. A host
 * may be in this process or behind a socket (wire/), so nothing here is a path, and whatever crosses is data, a callback or a stream of
 * bytes. Every call begins with where: the host that a site's row names, and the driver that runs it there. Every call is safe to repeat
 * after a kill.
 */
export interface SiteHost
  extends SiteLife,
    SiteServing,
    SiteFiles,
    SiteContent,
    SiteCommands,
    SiteTerminals,
    SiteEditing,
    SiteBackups,
    SiteLogs {}

/** Where sites are: a host by its name, and one of the drivers that it has. */
export interface Place {
  host: string;
  driver: string;
}

/** A site by what its row says of where it is. */
export interface SiteRef extends Place {
  id: string;
}

/** All that a host must know to run a site. It keeps no records of its own. */
export interface HostedSpec extends SiteSpec, Place {}

interface SiteLife {
  /** The WordPress that new sites get. The first call on a new machine waits until it is fetched and prepared. */
  prepared(at: Place): Promise<{ coreVersion: string; phpVersion: string }>;
  /** What the sites have as their shell there. */
  shell(at: Place): Promise<ShellKind>;
  /** The versions of WordPress that sites can name, newest first. */
  coreVersions(at: Place): Promise<string[]>;
  /** The versions of PHP that sites can name, newest first. */
  phpVersions(at: Place): Promise<string[]>;
  /** Makes the site. It appears when it is complete; whatever an earlier attempt left is replaced. */
  make(site: HostedSpec, from: SiteOrigin): Promise<void>;
  /** Looks into the archive of a stranger to its end; ArchiveRefused where no site can be made of it. */
  inspect(at: Place, archive: ArchiveSource, theme?: string): Promise<ArchivedSite>;
  /** Takes the site out of service and keeps it as it was, to be made again from its archive or deleted. */
  archive(site: SiteRef): Promise<void>;
  /** Removes everything of the site, archived or not; what was kept of it as backups and logs stays. */
  delete(site: SiteRef): Promise<void>;
  /** Every site that is there, archived or not. */
  list(at: Place): Promise<string[]>;
  /** Gives the site's database another address. Doing it again changes nothing. */
  moveDatabase(site: SiteRef, url: string): Promise<void>;
  /** The folder of the theme that the site shows itself in, as its database says it. */
  activeTheme(site: SiteRef): Promise<string | null>;
  /** The highest number that each table of the site has given to a row. */
  numbers(site: SiteRef): Promise<Record<string, number>>;
  /** The site's new rows get numbers that another site with the same tables, which has given these by now, does not give. */
  spreadNumbers(site: SiteRef, above: Record<string, number>): Promise<void>;
  /** What the site itself takes up; what is kept of it as backups does not count. */
  diskUsageBytes(site: SiteRef): Promise<number>;
  /** Ends what processes of the platform on this machine left running when they were killed; resolves when it is gone. */
  endOrphans(at: Place): Promise<void>;
}

/**
 * What a site is made from: the prepared image, a cut of a site that was kept as a backup (shared where many are made from it), the archive
 * of a stranger, or what was put aside of itself.
 */
export type SiteOrigin =
  | { kind: 'image'; first: FirstContent }
  | {
      kind: 'cut';
      space: string;
      site: string;
      moment: SnapshotName;
      change?: Adaptation;
      isShared?: boolean;
      /** The host that keeps it; the site's own otherwise. */
      keptBy?: string;
      /** Lets the pod of a site read there, where that is not its own. */
      grant?: string;
    }
  | ({ kind: 'import'; change: Adaptation } & ArchiveSource)
  | { kind: 'archive' };

interface SiteServing {
  /** Starts the site where it is not running. A site whose spec changed is started anew. */
  start(site: HostedSpec): Promise<RunningSite>;
  /** Makes the site's next page a quick one, where that takes nothing from anybody else. Never fails. */
  warmUp(site: HostedSpec): Promise<void>;
  /** Ends all the processes that serve the site; what runs is let finish for a moment. Commands go on. */
  stop(site: SiteRef): Promise<void>;
}

/** A site's wp-content, or the files of a version of WordPress, which sites share. */
export interface FileRoot extends Place {
  root: { siteId: string } | { coreVersion: string };
}

export interface FileStat {
  sizeBytes: number;
  modifiedAtMs: number;
  /** Changes with the file, even where somebody sets its time back. */
  identity: string;
}

/**
 * Regular files below a root, by a path with a slash in front. A path that leads over a symbolic link leads nowhere: sites can
 * make links to anything on the machine.
 */
export interface SiteFiles {
  /** What identifies the file now; undefined where there is none. Quick, and believes links. */
  fileIdentity(at: FileRoot, path: string): Promise<string | undefined>;
  /** The file; with its content where that is no longer than `maxBytes`. */
  readFile(at: FileRoot, path: string, maxBytes: number): Promise<{ stat: FileStat; content?: Buffer } | undefined>;
  /** A part of the file, `last` included; undefined where it is no longer the one that was seen. */
  readFilePart(
    at: FileRoot,
    path: string,
    part: { identity: string; first: number; last: number },
  ): Promise<Readable | undefined>;
  isFolder(at: FileRoot, path: string): Promise<boolean>;
}

export interface ContentEntry {
  name: string;
  kind: 'file' | 'folder' | 'link' | 'other';
  /** Of a file. */
  sizeBytes: number;
  modifiedAtMs: number;
}

export interface ReadLimits {
  maxBytes: number;
  maxEntries: number;
}

/** What is at a path: a folder with what is in it, or a file, with its content where that is no longer than asked for. */
export interface ReadEntry {
  entry: ContentEntry;
  folder?: { entries: ContentEntry[]; isTruncated: boolean };
  content?: Buffer;
  /** The same for the same content. */
  version?: string;
}

export interface WrittenFile extends ContentEntry {
  version: string;
}

/** What is to be replaced: what the writer has seen, which was no longer than this, nothing at all, or any file. */
export type SeenVersion = { version: string; maxBytes: number } | null | 'any';

/** Bytes that lie elsewhere and are read in parts. */
export type ByteSource = ArchiveSource;

/** `name` or `text`, below a path; so many matches at most. */
export interface FileSearch {
  path: string;
  name?: string | undefined;
  text?: string | undefined;
  limit: number;
}

export interface FileMatch {
  path: string;
  kind: ContentEntry['kind'];
  /** Where the text is; null for a name. */
  line: number | null;
  excerpt: string | null;
}

export interface SearchResult {
  matches: FileMatch[];
  /** False where it ended for its time, or for how much there is. */
  isComplete: boolean;
}

/**
 * A site's wp-content as somebody edits it, by paths without a slash in front; the empty one is wp-content itself. No link is ever followed,
 * whoever swaps one for a folder meanwhile. FileRefused says why something is not done. Changes are refused, as a SiteFailure `stopped`,
 * while some work has the site to itself, and it waits for those that run; each is done to the end and lasts, or not at all.
 */
interface SiteContent {
  readEntry(site: SiteRef, path: string, limits: ReadLimits): Promise<ReadEntry>;
  writeFile(site: SiteRef, path: string, content: ByteSource, seen: SeenVersion): Promise<WrittenFile>;
  makeFolder(site: SiteRef, path: string): Promise<ContentEntry>;
  /** Never replaces anything. */
  moveEntry(site: SiteRef, from: string, to: string): Promise<ContentEntry>;
  /** A folder with all that is in it; of one that is too large, what is left stays. */
  removeEntry(site: SiteRef, path: string): Promise<void>;
  /** Within a few seconds. */
  searchFiles(site: SiteRef, search: FileSearch): Promise<SearchResult>;
  /** A folder as a zip file. */
  packFolder(site: SiteRef, path: string): Promise<Readable>;
}

interface SiteCommands {
  /** Runs one command of the site in a process of its own, which ends with it. Output is told as it comes, and again at the end. */
  exec(site: HostedSpec, command: Command): Promise<CommandResult>;
  /** Hands over what the site's WordPress wants mailed, oldest first, one at a time. What is told `drop` leaves the outbox. */
  eachMail(site: SiteRef, handle: (mail: WaitingMail) => Promise<'drop' | 'keep' | 'stop'>): Promise<void>;
  hasOutgoingMail(site: SiteRef): Promise<boolean>;
}

export type WaitingMail = Omit<OutgoingMail, 'drop'>;

/** Shells that people sit at. Each goes on for a while when its connection is lost, and is taken up again by its number. */
interface SiteTerminals {
  /** Opens a terminal, or takes one up again; resolves when that is over for whoever asked. */
  terminal(site: HostedSpec, wish: TerminalWish): Promise<TerminalEnd>;
  /** The terminals of the site that are somebody's, and whether their team has as many on this host as it may. */
  terminals(site: SiteRef, of: { owner: string; team: string }): Promise<{ own: OpenTerminal[]; isFull: boolean }>;
  /** False where there is none of this number that is theirs. */
  endTerminal(site: SiteRef, owner: string, session: string): Promise<boolean>;
  /** Joins somebody far away and a program, until that ends or they leave, which ends it. It counts as a terminal does. */
  program(site: HostedSpec, wish: ProgramWish): Promise<ProgramEnd>;
}

export interface ProgramWish extends ProgramOptions {
  /** The terminal that it is at, where it has one. */
  terminal?: TerminalSize;
  /** Called first, with what reaches the program. `write` resolves when it takes more. */
  onStart(
    write: (bytes: Buffer) => Promise<void>,
    endInput: () => void,
    resize: (size: TerminalSize) => void,
    signal: (name: NodeJS.Signals) => void,
  ): void;
  /** Resolves when it was sent: until then only so much more is told, and the program waits. */
  onOutput(bytes: Buffer, stream: 'stdout' | 'stderr'): Promise<void>;
  /** They leave. */
  signal: AbortSignal;
}

/** Why it is over: it ended, they left, nothing happened for long, or the site is worked on. Or the team has as many as it may. */
export type ProgramEnd = { why: 'exit'; exitCode: number } | { why: 'left' | 'idle' | 'stopped' | 'full' };

export interface TerminalWish extends TerminalOptions {
  session: string;
  /** Whose it is: nobody else can take it up. */
  owner: string;
  /** Whether there may be none yet. */
  mayOpen: boolean;
  /** The place up to which they have seen it; from the beginning, as far as that is kept, where it is not said. */
  from?: number;
  /** Called first, with the place of what is shown next and with what is typed and drawn over. */
  onOpen(
    start: { place: number; isNew: boolean },
    type: (bytes: Buffer) => void,
    resize: (size: TerminalSize) => void,
  ): void;
  /** Resolves when it was seen: until then only so much more is told, and the programs wait. */
  onOutput(bytes: Buffer): Promise<void>;
  /** They leave, and the terminal goes on for a while. */
  signal?: AbortSignal;
}

/**
 * Why it is over: the shell ended, they left, somebody with the same number came, nothing happened for long, they ended it, or the site
 * is worked on. Or why it never began: there is none of this number, or the team has as many as it may.
 */
export type TerminalEnd =
  | { why: 'exit'; exitCode: number }
  | { why: 'left' | 'taken' | 'idle' | 'ended' | 'stopped' | 'missing' | 'full' };

export interface OpenTerminal {
  session: string;
  openedAt: Date;
  /** Somebody looks at it. */
  isAttended: boolean;
}

/** How the time machine keeps a site, and what it has to know of it. */
export type KeptAs = Pick<SitePlace, 'space' | 'rules' | 'isSuspect' | 'limitMs' | 'recorded'>;

/** The time machine of the host (timemachine/process/time-machine.ts). Nobody else may work on the site meanwhile. */
interface SiteBackups {
  snapshot(site: SiteRef, kept: KeptAs, options?: CallOptions): Promise<CutReport>;
  /** What a restore would do to the site as it is now, with a part of the list of it; without `now` where a part of the site is gone. */
  plan(
    site: SiteRef,
    kept: KeptAs,
    wish: RestoreWish,
    window: Window,
    options?: CallOptions,
  ): Promise<PlanReport<CutReport | null> & { list: DifferenceList }>;
  /** What it would have done to the site as it was at `now`; the site itself is not looked at. */
  compare(
    site: SiteRef,
    kept: Pick<KeptAs, 'space' | 'rules'>,
    now: SnapshotName,
    wish: RestoreWish,
    window: Window,
  ): Promise<{ difference: Difference; list: DifferenceList }>;
  /** What became of the site from the first to the second of each pair, for people; `isPatient` where nobody waits for it. */
  tell(
    site: SiteRef,
    kept: Pick<KeptAs, 'space' | 'rules'>,
    pairs: readonly (readonly [SnapshotName, SnapshotName])[],
    rules: TellRules,
    isPatient: boolean,
  ): Promise<(ToldChanges | null)[]>;
  restore(site: SiteRef, kept: KeptAs, wish: RestoreWish | MergeWish, options?: CallOptions): Promise<PlanReport>;
  /** Gives the site's rows to another kind of database; whatever happens, it has them in the one or the other. */
  moveRows(site: SiteRef, kept: KeptAs, to: DatabaseKind, options?: CallOptions): Promise<void>;
  /** What a merge would bring to the site as it was at `now`, and what the site has got since its copy was made. */
  compareCopy(
    site: SiteRef,
    kept: Pick<KeptAs, 'space' | 'rules'>,
    now: SnapshotName,
    wish: MergeWish,
    window: Window,
  ): Promise<MergeReport>;
  /** Does the same to a copy of the site as it was at `now`, or of what is left of it, which is thrown away. */
  rehearse(
    site: SiteRef,
    kept: KeptAs,
    wish: RestoreWish,
    now: SnapshotName | null,
    name: string,
    options?: CallOptions,
  ): Promise<void>;
  /** What a rehearsal that was killed left behind. */
  discardRehearsal(site: SiteRef, name: string): Promise<void>;
  /** Ends what a restore that was killed had begun, in one way or the other. */
  recover(site: SiteRef, kept: KeptAs): Promise<Recovery>;
  /** Has a cut at hand from which many sites will be made, until it is forgotten. */
  shareCut(site: SiteRef, space: string, moment: SnapshotName): Promise<void>;
  /** Resolves when nothing that is kept of the site is on its host's disk alone. */
  sendKept(site: SiteRef): Promise<void>;
  /** Removes a site's snapshots; what only they needed is freed by the next prunes. */
  forget(site: SiteRef, space: string): Promise<void>;
  prune(at: Place, wish: PruneWish): Promise<PruneReport>;
  /** One turn of going over all that is stored, from where the last one ended; all at once without a budget. */
  check(at: Place, from?: CheckPlace | null, budget?: CheckBudget): Promise<CheckTurn>;
  /** Which snapshots of a site can be restored. */
  checkSite(site: SiteRef, space: string): Promise<CheckedSnapshots>;
  /** The snapshots that are there, by their hashes. */
  keptSnapshots(site: SiteRef, space: string): Promise<string[]>;
  /** The files of a snapshot, and the links. */
  keptFiles(site: SiteRef, space: string, moment: SnapshotName, part: FilePart): Promise<FilePage>;
  /** Undefined for each path that the snapshot does not have. */
  findKeptFiles(
    site: SiteRef,
    space: string,
    moment: SnapshotName,
    paths: readonly string[],
  ): Promise<(ListedFile | undefined)[]>;
  /** The file of that path in each of these snapshots, closest in time beside one another; null where one does not have it or is gone. */
  keptFileIn(
    site: SiteRef,
    space: string,
    moments: readonly SnapshotName[],
    path: string,
  ): Promise<(ListedFile | null)[]>;
  keptFileSize(site: SiteRef, space: string, ref: string): Promise<number>;
  /** The bytes from `start` up to and without `end`. */
  readKeptFile(site: SiteRef, space: string, ref: string, start: number, end: number): Promise<Readable>;
  /** The tables of a snapshot as SQL that MySQL reads; each time the same bytes. */
  keptDump(site: SiteRef, kept: Pick<KeptAs, 'space' | 'rules'>, moment: SnapshotName): Promise<Readable>;
  /** Lays files over the site in one step, which `recover` ends like a restore; their contents come from `give` of the options. */
  deploy(site: SiteRef, kept: KeptAs, laying: Laying, options?: CallOptions): Promise<PlanReport>;
}

/** The code editors of sites (Runtime.editors). */
interface SiteEditing {
  /** Has what editors need on the site's machine; `editorState` tells how that goes and went. */
  prepareEditor(site: SiteRef): Promise<void>;
  editorState(site: SiteRef): Promise<EditorState>;
  wakeEditor(site: HostedSpec, maxDiskBytes: number): Promise<EditorState>;
  /** A connection to the editor that runs, for HTTP/1.1; paused until whoever gets it reads. */
  connectEditor(site: SiteRef): Promise<Socket>;
  stopEditor(site: SiteRef): Promise<void>;
}

/** What went wrong in a site and who visited it, for its owner. */
interface SiteLogs {
  /** Whole lines, each ended by a line break (site-log/entries.ts). */
  appendLog(site: SiteRef, kind: LogKind, lines: string): Promise<void>;
  /** Newest first. */
  readLog(site: SiteRef, kind: LogKind, query: LogQuery): Promise<LogPage>;
  /** The errors of the whole log, each once. */
  groupErrors(site: SiteRef, sinceMs?: number): Promise<ErrorGroups>;
  /** Where the log ends now. */
  endOfLog(site: SiteRef, kind: LogKind): Promise<LogPlace>;
  /** What was written after a place, oldest first, and the place to ask with the next time. */
  readLogOn(site: SiteRef, kind: LogKind, after: LogPlace): Promise<{ entries: PlacedEntry[]; place: LogPlace }>;
  removeLog(site: SiteRef): Promise<void>;
}
