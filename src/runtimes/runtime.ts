import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { MariadbDescription } from './mariadb/site-databases.ts';
import type {
  Command,
  CommandResult,
  Editors,
  Program,
  ProgramOptions,
  Terminal,
  TerminalOptions,
} from './programs.ts';
import type { SiteDatabase } from './site-database.ts';
import type { SiteShare } from './site-share.ts';
import type { SiteSpec } from './site-spec.ts';

export type {
  Command,
  CommandResult,
  EditorState,
  Program,
  ProgramOptions,
  ProgramWork,
  Terminal,
  TerminalOptions,
  TerminalSize,
} from './programs.ts';
export type { SiteDatabase, SqlRow, SqlValue } from './site-database.ts';
export type { SiteShare } from './site-share.ts';
export type { SiteSpec } from './site-spec.ts';

/**
 * Where a site runs. A driver keeps a site's content and database, runs its PHP and knows nothing of teams, plans or
 * HTTP hosts; the control plane knows nothing of processes. Everything a driver must know of a site comes with each call
 * (SiteSpec), so that drivers keep no records of their own. Every call is safe to repeat after a kill.
 */
export interface Runtime {
  /** To be called once, before everything else. */
  open(): Promise<void>;
  /** The WordPress that new sites get. The first call on a new machine waits until it is fetched and prepared. */
  prepared(): Promise<{ coreVersion: string; phpVersion: string }>;
  /** The versions of WordPress that sites can name, newest first. */
  coreVersions(): Promise<string[]>;
  /** Has one of them at hand, fetched where it is not; fails where nobody has it. */
  requireCore(coreVersion: string): Promise<void>;
  /** The versions of PHP that sites can name, newest first. */
  phpVersions(): Promise<string[]>;
  /** Makes the site's content and database from the prepared image; whatever an earlier attempt left is replaced. */
  create(site: SiteSpec, first: FirstContent): Promise<void>;
  /**
   * Makes the site from the content and the database that `fill` puts where it is told, and moves the database to the
   * site's address. The site appears when it is complete; whatever an earlier attempt left is replaced.
   */
  adopt(site: SiteSpec, fill: (storage: SiteStorage) => Promise<void>, change?: Adaptation): Promise<void>;
  /** Looks into the archive of a stranger to its end; ArchiveRefused where no site can be made of it. Nothing of it runs. */
  inspect(archive: ArchiveSource, theme?: string): Promise<ArchivedSite>;
  /** Makes the site of such an archive, as `adopt` does of what is ours. */
  import(site: SiteSpec, archive: ArchiveSource, change: Adaptation): Promise<void>;
  /** Starts the site where it is not running and tells how to reach it. A site whose spec changed is started anew. */
  start(site: SiteSpec): Promise<RunningSite>;
  /**
   * Makes the site's next page a quick one, where that takes nothing from anybody else: of many new sites at once, some
   * stay as they are. Resolves when it is done or was given up, and never fails.
   */
  warmUp(site: SiteSpec): Promise<void>;
  /** Ends all the processes that serve the site; what runs is let finish for a moment. Commands go on. */
  stop(siteId: string): Promise<void>;
  /**
   * Ends all the site's processes, commands included, and starts none until the returned function is called: for work that
   * has its files to itself. Whoever asks for the site meanwhile gets a SiteFailure, `stopped`. It holds for this process
   * of the platform alone.
   */
  suspend(siteId: string): Promise<() => void>;
  /** Ends what processes of the platform on this machine left running when they were killed; resolves when it is gone. */
  endOrphans(): Promise<void>;
  /** Takes the site out of service and keeps it as it was, for `unarchive` or `delete`. */
  archive(siteId: string): Promise<void>;
  /** Brings an archived site back. */
  unarchive(siteId: string): Promise<void>;
  /** Removes everything of the site, archived or not. */
  delete(siteId: string): Promise<void>;
  /** Every site that this runtime keeps anything of, archived or not. */
  list(): Promise<string[]>;
  exec(site: SiteSpec, command: Command): Promise<CommandResult>;
  readonly editors: Editors;
  /**
   * Opens a shell of the site at a terminal, in its sandbox. SiteFailure where there is none to be had (`start`), or some work
   * has the site to itself (`stopped`).
   */
  terminal(site: SiteSpec, options: TerminalOptions): Promise<Terminal>;
  /** Starts a program in the same sandbox whose streams somebody else has. It fails as a terminal does. */
  program(site: SiteSpec, options: ProgramOptions): Promise<Program>;
  /** What `bash` is: the real one in a sandbox, or what can be had without one. Known once it is open. */
  readonly shell: ShellKind;
  /**
   * Changes the site's content by hand, one such change of a site after another. It is none of the site's processes, and yet what suspends
   * the site waits for it, and it is refused meanwhile; whoever listens is told. `incoming` is a folder on the same file system, which may
   * not be there yet, for what is not whole.
   */
  change<T>(siteId: string, act: (place: { content: string; incoming: string }) => Promise<T>): Promise<T>;
  /** Where the site's plugins, themes and uploads are: WordPress' wp-content. */
  contentFolder(siteId: string): string;
  /** Where the time machine finds the site. Nothing is made or looked at. */
  storage(siteId: string): SiteStorage;
  /**
   * Gives the site's rows to another kind of database, which `fill` puts them into; the site has the one or the other, whatever happens. Fails where there is none
   * of that kind. Whoever calls it has the site to itself.
   */
  moveRows(siteId: string, to: DatabaseKind, fill: (into: SiteStorage['database']) => Promise<void>): Promise<void>;
  /** Makes what is missing of the site's own folders, all but its content: before it is brought back from its backups. */
  makeFolders(siteId: string): Promise<void>;
  /** Where the files of WordPress itself are. */
  coreFolder(coreVersion: string): string;
  database(siteId: string): Promise<SiteDatabase>;
  /** Asks the site itself, which starts it where needed. */
  health(site: SiteSpec): Promise<SiteHealth>;
  /** What the site itself takes up; what the time machine keeps beside it does not count. */
  diskUsageBytes(siteId: string): Promise<number>;
  /** Messages that the site's WordPress wants mailed, oldest first, read one at a time. They stay until `drop`. */
  outgoingMail(siteId: string): AsyncIterable<OutgoingMail>;
  hasOutgoingMail(siteId: string): Promise<boolean>;
  /** So much a site that is awake may still grow; its PHP is refused what is more. Of others nothing is kept. */
  setRoom(siteId: string, leftBytes: number): void;
  /** What a site that is awake may have of the machine, from now on. */
  setShare(siteId: string, share: SiteShare): void;
  /** What sites tell by themselves while they run. */
  listen(listener: RuntimeListener): void;
  /**
   * Says who answers what a site asks of itself. Whatever its PHP sends to the host and port of its own address comes
   * here, as plain HTTP over a connection that no other site and nobody outside can make, instead of leaving the machine.
   * An offline site reaches not even itself. Without anybody to answer, it is refused.
   */
  answerOwnCalls(answer: (siteId: string, connection: Duplex) => void): void;
  /** The processes that serve sites here, for metrics and benchmarks; a busy site has several. */
  awake(): AwakeProcess[];
  /** How many warm processes wait for a site. */
  readonly standbyReady: number;
  /** Whether there is enough memory for all that is wanted; undefined where nothing is bounded. */
  readonly pressure: RuntimePressure | undefined;
  close(): Promise<void>;
}

export type ShellKind = 'bash' | 'limited';

/** What a site keeps its rows in: a file of its own, or a server. */
export type DatabaseKind = 'sqlite' | 'mariadb';

/** A site on disk. What is the time machine's own in there, the site's PHP can neither read nor write. */
export interface SiteStorage {
  /** WordPress' wp-content. */
  content: string;
  database: { kind: 'sqlite'; file: string } | MariadbDescription;
  /** A folder for a restore to prepare itself in, on the file system of the content. The driver does not make it. */
  staging: string;
  /** A file for what the time machine remembers of the site. */
  state: string;
  /** Whom a copy that is being made has to belong to, where that is not whoever makes it. */
  owner?: number;
}

/** What makes the prepared image this site. */
export interface FirstContent {
  title: string;
  admin: { username: string; email: string; firstName: string; lastName: string; passwordHash: string };
}

/**
 * What becomes of the people in a database that comes from elsewhere. Whoever had an account there gets none in a site that somebody else
 * makes of it, and nothing that tells of them stays: what others make sites of has one administrator, without a password (`none`), who is
 * then whoever made the site (`first`). Who imports a site of their own keeps its people as they are (`kept`); where none of them is an
 * administrator, whoever has that address becomes one.
 */
export type Adaptation =
  | { people: 'none'; theme?: string }
  | { people: 'first'; first: FirstContent }
  | { people: 'kept'; email: string };

/** An archive that lies elsewhere and is read in parts. */
export interface ArchiveSource {
  sizeBytes: number;
  read(offset: number, length: number): Promise<Buffer>;
}

/** What an archive has of a site. */
export interface ArchivedSite {
  plugins: string[];
  readme: string | null;
}

export interface RunningSite {
  /** Its processes run, so that whoever waits now waits for others and not for the start. */
  readonly isAwake: boolean;
  /**
   * Asks for the right to send one request. It comes when the site can take it; where that is longer than a visitor
   * would wait, or the site can not start, it fails with a SiteFailure. One request that takes long holds up no other for
   * long, as far as there is memory.
   */
  lease(signal: AbortSignal, options?: LeaseOptions): Promise<Lease>;
}

export interface LeaseOptions {
  /** The site asks itself, and answers nobody else with the process that asks until it has its answer. */
  isOwnCall?: boolean;
}

/**
 * The right to send one request to the address. The answer's headers tell what is between the site and the edge:
 * `x-siteyard-purge: all` (also as a trailer) that pages changed, `x-siteyard-keep` for how many seconds at most the edge may
 * keep this page (plugin/caching.php), `x-siteyard-failure` with a SiteFailureReason that PHP failed without a word.
 */
export interface Lease {
  /** Connections to the same door can be kept, and used again by whoever has a lease for it. */
  readonly door: string;
  /** A new connection to it, for HTTP/1.1. */
  connect(): Socket;
  /** To be called once, when the answer has ended or failed. */
  release(): void;
  /** Why the connection broke, where the runtime knows. `stopped`: the request was not begun, and may be sent again. */
  failure(): Promise<SiteFailure | undefined>;
}

/**
 * A failure with its owner, so that a visitor, the site's owner and the operator each know whose turn it is. `timeout`,
 * `memory` and `crash` are the site's own doing; `start` and `overload` are the platform's. `yielded`: it took long while others waited,
 * and was ended for them. A site that is stopped may
 * have been at the request (`interrupted`), or surely was not (`stopped`).
 */
export type SiteFailureReason =
  | 'timeout'
  | 'memory'
  | 'crash'
  | 'start'
  | 'overload'
  | 'yielded'
  | 'stopped'
  | 'interrupted';

export class SiteFailure extends Error {
  readonly reason: SiteFailureReason;
  constructor(reason: SiteFailureReason, message: string) {
    super(message);
    this.name = 'SiteFailure';
    this.reason = reason;
  }
}

export interface SiteHealth {
  ok: boolean;
  coreVersion: string;
  phpVersion: string;
  /** What is wrong, in a sentence each. */
  problems: string[];
}

export interface OutgoingMail {
  from: string;
  to: string[];
  /** The whole message, headers included. */
  message: Buffer;
  writtenAt: Date;
  drop(): Promise<void>;
}

export interface RuntimeListener {
  /** The site wrote something that pages may show. A request's answer says so too, and sooner. */
  changed?(siteId: string): void;
  /**
   * Whoever keeps the site has reason to look whether it changed: its PHP is about to run or has ended, or the platform
   * wrote to it. Called at least twice a request, so it has to be cheap; one call too many costs a look, and one
   * that is missing costs a backup.
   */
  touched?(siteId: string): void;
  /** PHP has added so much to the site, or taken away where it is less than nothing; 0 where a process of it has just started, which wants to know how much it may. */
  grew?(siteId: string, bytes: number): void;
  /** There is something new in outgoingMail. */
  mail?(siteId: string): void;
  /**
   * What the site's PHP wrote to its error log, in order, and what it was ended for. Each request can tell only so much. A
   * preview tells nothing.
   */
  logged?(siteId: string, errors: readonly LoggedError[]): void;
  /** What the platform shows of a site without asking it. */
  status?(siteId: string, status: SiteStatus): void;
}

export interface LoggedError {
  atMs: number;
  /** `plain`: the site's own words, by error_log() and the like. */
  level: 'fatal' | 'warning' | 'notice' | 'deprecated' | 'plain';
  message: string;
  /** As the site's owner knows it: `wp-content/plugins/…`. */
  file: string | null;
  line: number | null;
  /** What PHP was at: the method and path of a request, or a command without its options. */
  request: string | null;
}

export interface SiteStatus {
  faviconUrl: string | null;
  /** What the site calls itself, in one line; null where it did not say. */
  title: string | null;
  /** When WordPress' scheduled work is next due. */
  nextCronAt: Date | null;
}

export interface AwakeProcess {
  siteId: string;
  pid: number;
  memoryBytes: number;
}

export interface RuntimePressure {
  /** Who waits for room right now. */
  waiting: number;
  /** Since the start: who was refused for want of room, and what was ended so that others got some. */
  turnedAway: number;
  ended: number;
  usedBytes: number;
  budgetBytes: number;
  /** Somebody had to wait for others, in the last minutes. */
  isTooSmall: boolean;
}
