import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import type { SiteSpec } from './site-spec.ts';

/** What people and the platform run in a site beside its PHP for visitors. */

export interface Command {
  /** The program and its arguments: `wp` is WordPress' own, `php` is PHP, `bash` is what the driver has of a shell. */
  args: readonly [string, ...string[]];
  /** Where it starts, as the site sees it: below its wp-content where it does not begin with a slash. */
  cwd?: string;
  /** What it can read. A stream is read when the program first reads. */
  stdin?: string | Readable;
  env?: Record<string, string>;
  /** Somebody looks at what it writes, who likes colours. */
  isTerminal?: boolean;
  timeoutMs: number;
  /** Each stream is cut at this length. */
  maxOutputBytes: number;
  /** Told what it writes as it comes, within the same limit; the command waits for whoever is slow to take it. */
  onOutput?: (stream: 'stdout' | 'stderr', chunk: Buffer) => Promise<void> | void;
  /** False where whoever is told as it comes has it then. */
  keepsOutput?: boolean;
  /** What the site may take up in all while a shell runs, which ends where it takes more. */
  maxDiskBytes?: number;
  signal?: AbortSignal;
  /** Runs although the site is suspended: it is part of the work that has the site to itself. */
  asHolder?: boolean;
}

export interface CommandResult {
  exitCode: number;
  stdout: string;
  stderr: string;
  truncated: boolean;
  durationMs: number;
  /** Nothing ran: there is no such folder to start in. */
  isCwdMissing?: true;
}

export interface TerminalSize {
  columns: number;
  rows: number;
}

export interface TerminalOptions extends TerminalSize {
  /** What bash runs there, instead of a prompt. */
  command?: string;
  env?: Record<string, string>;
  /** What the site may take up in all while it is open; it ends where the site takes more. */
  maxDiskBytes?: number;
}

/** A shell that somebody sits at. It ends with whatever ends the site's processes, and leaves nothing behind. */
export interface Terminal {
  /** Hands over what is to be shown, as it comes. */
  onOutput(take: (bytes: Buffer) => void): void;
  write(bytes: Buffer): void;
  resize(size: TerminalSize): void;
  /** Whoever writes to the terminal waits until `resume`. */
  pause(): void;
  resume(): void;
  /** Ends it at once, with all that it started. */
  end(): void;
  /** Resolves with the exit code of the shell. */
  readonly ended: Promise<number>;
}

/** Bash that reads its input, a command of bash, or what serves the site's files by SFTP (draft-ietf-secsh-filexfer-02, version 3). */
export type ProgramWork = { kind: 'shell' } | { kind: 'command'; command: string } | { kind: 'files' };

export interface ProgramOptions {
  work: ProgramWork;
  env?: Record<string, string>;
  /** What the site may take up in all while it runs; files are refused beyond that, and whatever else takes more ends. */
  maxDiskBytes?: number;
}

/** A program without a terminal. It ends with whatever ends the site's processes, and leaves nothing behind. */
export interface Program {
  onOutput(take: (bytes: Buffer, stream: 'stdout' | 'stderr') => void): void;
  /** Resolves when it takes more. */
  write(bytes: Buffer): Promise<void>;
  endInput(): void;
  /** To the program and all that it started. */
  signal(name: NodeJS.Signals): void;
  /** Whoever writes waits until `resume`. */
  pause(): void;
  resume(): void;
  /** Ends it at once, with all that it started. */
  end(): void;
  /** Resolves with the exit code, or 128 and the number of a signal, when all that it wrote was handed over. */
  readonly ended: Promise<number>;
}

/** The code editors of sites, each in the site's sandbox. They end with whatever ends the site's commands. */
export interface Editors {
  /** Fetches what all of them share; `state` tells how that goes. */
  prepare(): Promise<void>;
  state(siteId: string): Promise<EditorState>;
  /** Resolves when the site's editor runs, or can not: it is being installed, or something is wrong. It ends where the site takes up more than it may. */
  wake(site: SiteSpec, maxDiskBytes?: number): Promise<EditorState>;
  /** A connection to the editor that runs, for HTTP. It sleeps when there has been none for some minutes. */
  connect(siteId: string): Socket;
  /** The sites whose editor runs or is about to. */
  readonly running: readonly string[];
  end(siteId: string): Promise<void>;
}

export type EditorState =
  | { state: 'installing'; progress: { step: string; done: number; of: number } }
  | { state: 'asleep' }
  | { state: 'running' }
  | { state: 'failed'; reason: string };
