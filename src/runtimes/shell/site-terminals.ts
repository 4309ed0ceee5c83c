import type { Listeners } from '#runtimes/folders/listeners.ts';
import type { Program, ProgramOptions, ProgramWork, SiteSpec, Terminal, TerminalOptions } from '#runtimes/runtime.ts';
import { DELETE_ONLY, type DiskSeat } from './disk-watch.ts';
import { limitedCommand, limitedFiles } from './limited-programs.ts';
import { LimitedTerminal } from './limited-terminal.ts';
import { type PipedProgram, startPiped } from './piped-program.ts';
import { openPty, type Pty } from './pty.ts';
import type { Shell } from './shell.ts';
import type { ShellEntry, SiteShells } from './site-shells.ts';

const BASH = '/bin/bash';
/** A file server is one process with a small heap. */
const FILES = ['/opt/node/node', '--max-old-space-size=64', '/opt/siteyard/bin/site-files'];
/** A program that shows nothing may write to the site all the same. */
const TOUCH_MS = 30_000;
const MEMORY_LOOK_MS = 500;

/** Whatever somebody has open: they all end in the same way. */
type Open = Pick<Terminal, 'end' | 'ended'> & { onOutput(take: () => void): void };

/** The terminals of a driver's sites, and the programs without one that somebody far away is joined to. */
export class SiteTerminals {
  readonly #shell: Shell;
  readonly #listeners: Pick<Listeners, 'touched' | 'changed'>;
  /** Those that are open or not quite gone yet, by site. */
  readonly #open = new Map<string, Map<Open, Promise<unknown>>>();

  constructor(shell: Shell, listeners: Pick<Listeners, 'touched' | 'changed'>) {
    this.#shell = shell;
    this.#listeners = listeners;
  }

  async open(site: SiteSpec, options: TerminalOptions, requireOpen: () => void): Promise<Terminal> {
    const { sites } = this.#shell;
    const terminal = sites
      ? await this.#openReal(sites, site, options, requireOpen)
      : this.#keep(site.id, new LimitedTerminal(options, (command) => this.#shell.run(site, command, requireOpen)));
    this.#touchWhileOpen(site.id, terminal);
    return terminal;
  }

  async #openReal(
    sites: SiteShells,
    site: SiteSpec,
    options: TerminalOptions,
    requireOpen: () => void,
  ): Promise<Terminal> {
    const { command, env } = options;
    const args = command === undefined ? [BASH, '-i'] : [BASH, '-c', command];
    const seat = await this.#shell.disk.seat(site.id, options.maxDiskBytes);
    const limits = { fileBytes: seat.room.fileBytes };
    const entry = await sites.enter(site, { args, env: { ...environmentOf(site), ...env }, limits });
    const terminal = await this.#watched(site, entry, seat, requireOpen, (spawn) => openPty(spawn, options));
    // Whoever opened it listens by then.
    if (seat.room.fileBytes === 0) setImmediate(() => terminal.say(`${DELETE_ONLY}\r\n`));
    return terminal;
  }

  /** The same without a terminal. */
  async start(site: SiteSpec, options: ProgramOptions, requireOpen: () => void): Promise<Program> {
    const { sites } = this.#shell;
    const seat = await this.#shell.disk.seat(site.id, options.maxDiskBytes);
    const env = { ...options.env, ...(options.work.kind === 'files' && roomOf(seat)) };
    const program = sites
      ? await this.#startReal(sites, site, { ...options, env }, seat, requireOpen)
      : this.#keep(site.id, this.#startLimited(site, { ...options, env }, seat, requireOpen));
    this.#touchWhileOpen(site.id, program);
    return program;
  }

  async #startReal(
    sites: SiteShells,
    site: SiteSpec,
    { work, env = {} }: ProgramOptions,
    seat: DiskSeat,
    requireOpen: () => void,
  ) {
    const entry = await sites.enter(site, { args: argsOf(work), env, limits: { fileBytes: seat.room.fileBytes } });
    return this.#watched(site, entry, seat, requireOpen, startPiped);
  }

  #startLimited(
    site: SiteSpec,
    { work, env = {}, maxDiskBytes }: ProgramOptions,
    seat: DiskSeat,
    requireOpen: () => void,
  ): Program {
    // Some work may have taken the site meanwhile.
    requireOpen();
    if (work.kind === 'files') return this.#serveLimited(site, env, seat);
    const limits = { env, ...(maxDiskBytes !== undefined && { maxDiskBytes }) };
    const command = work.kind === 'command' ? work.command : undefined;
    return limitedCommand(command, limits, (wish) => this.#shell.run(site, wish, requireOpen));
  }

  #serveLimited(site: SiteSpec, env: Record<string, string>, seat: DiskSeat): Program {
    const files = limitedFiles(this.#shell.contentOf(site), env, seat.room.fileBytes);
    void files.ended.then(seat.watch({ pid: () => files.pid, tell: () => files.end() }));
    return files;
  }

  /** Spawns what was prepared, unless some work has taken the site meanwhile, and ends it at the limits of disk and memory. */
  async #watched<T extends Pty | PipedProgram>(
    site: SiteSpec,
    { spawn, usesTooMuch, leave }: ShellEntry,
    seat: DiskSeat,
    requireOpen: () => void,
    begin: (spawn: ShellEntry['spawn']) => T | Promise<T>,
  ): Promise<T> {
    try {
      requireOpen();
      const opened = await begin(spawn);
      const stops = [
        seat.watch({ pid: () => opened.pid, tell: (message) => endSaying(opened, message) }),
        watchMemory(opened, usesTooMuch),
      ];
      return this.#keep(site.id, opened, async () => {
        for (const stop of stops) stop();
        await leave();
      });
    } catch (error) {
      await leave();
      throw error;
    }
  }

  /** Resolves when nothing of them is left. */
  async end(siteId: string): Promise<void> {
    const open = [...(this.#open.get(siteId) ?? [])];
    for (const [terminal] of open) terminal.end();
    await Promise.all(open.map(([, gone]) => gone));
  }

  async close(): Promise<void> {
    await Promise.all([...this.#open.keys()].map((siteId) => this.end(siteId)));
  }

  #touchWhileOpen(siteId: string, terminal: Open): void {
    const tell = () => {
      this.#listeners.touched(siteId);
      this.#listeners.changed(siteId);
    };
    terminal.onOutput(() => this.#listeners.touched(siteId));
    const clock = setInterval(tell, TOUCH_MS).unref();
    void terminal.ended.then(() => {
      clearInterval(clock);
      tell();
    });
  }

  #keep<T extends Open>(siteId: string, terminal: T, leave = async () => {}): T {
    const open = this.#open.get(siteId) ?? new Map();
    const gone = terminal.ended
      .then(leave)
      .catch(() => {})
      .finally(() => {
        open.delete(terminal);
        if (open.size === 0 && this.#open.get(siteId) === open) this.#open.delete(siteId);
      });
    this.#open.set(siteId, open.set(terminal, gone));
    return terminal;
  }
}

/** A file server refuses what does not fit before anybody has to end it. */
function roomOf({ room: { limitBytes, startBytes, fileBytes } }: DiskSeat): Record<string, string> {
  if (limitBytes === Number.POSITIVE_INFINITY) return {};
  return { SITE_FILES_ROOM: String(fileBytes === 0 ? 0 : limitBytes - startBytes) };
}

/** Where the kernel keeps no limit, somebody has to look. Returns how to stop. */
function watchMemory(terminal: Ending, usesTooMuch: ShellEntry['usesTooMuch']): () => void {
  const clock = setInterval(() => {
    const { pid } = terminal;
    if (pid !== undefined && usesTooMuch(pid)) endSaying(terminal, 'It used more memory than it may, and was ended.');
  }, MEMORY_LOOK_MS).unref();
  return () => clearInterval(clock);
}

type Ending = Pick<PipedProgram, 'pid' | 'say' | 'end'>;

function endSaying(terminal: Ending, message: string): void {
  terminal.say(`\r\n${message}\r\n`);
  terminal.end();
}

function argsOf(work: ProgramWork): string[] {
  if (work.kind === 'files') return FILES;
  return work.kind === 'command' ? [BASH, '-c', work.command] : [BASH];
}

/** The name of the site in front of each line: whoever has several windows open must see which one they type into. */
export function promptOf({ url }: SiteSpec): Record<string, string> {
  const prompt = `\\[\\e[32m\\]${new URL(url).hostname}\\[\\e[0m\\]:\\[\\e[34m\\]\\w\\[\\e[0m\\] $ `;
  return { PS1: prompt, PROMPT_DIRTRIM: '1' };
}

function environmentOf(site: SiteSpec): Record<string, string> {
  return { TERM: 'xterm-256color', COLORTERM: 'truecolor', ...promptOf(site) };
}
