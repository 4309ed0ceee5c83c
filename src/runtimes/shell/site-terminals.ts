import type { Listeners } from '#runtimes/folders/listeners.ts';
import type { SiteSpec, Terminal, TerminalOptions } from '#runtimes/runtime.ts';
import { LimitedTerminal } from './limited-terminal.ts';
import { openPty, type Pty } from './pty.ts';
import type { Shell } from './shell.ts';
import type { ShellEntry, SiteShells } from './site-shells.ts';
import { watchDisk } from './watched-shell.ts';

const SHELL = ['/bin/bash', '-i'];
/** A program that shows nothing may write to the site all the same. */
const TOUCH_MS = 30_000;
const MEMORY_LOOK_MS = 500;

/** The terminals of a driver's sites. */
export class SiteTerminals {
  readonly #shell: Shell;
  readonly #listeners: Pick<Listeners, 'touched' | 'changed'>;
  readonly #diskUsageBytes: (siteId: string) => Promise<number>;
  /** Those that are open or not quite gone yet, by site. */
  readonly #open = new Map<string, Map<Terminal, Promise<unknown>>>();

  constructor(
    shell: Shell,
    listeners: Pick<Listeners, 'touched' | 'changed'>,
    diskUsageBytes: (siteId: string) => Promise<number>,
  ) {
    this.#shell = shell;
    this.#listeners = listeners;
    this.#diskUsageBytes = diskUsageBytes;
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
    const { spawn, usesTooMuch, leave } = await sites.enter(site, { args: SHELL, env: environmentOf(site) });
    try {
      // Some work may have taken the site meanwhile.
      requireOpen();
      const terminal = openPty(spawn, options);
      const stops = [
        watchDisk(
          (message) => endSaying(terminal, message),
          options.maxDiskBytes,
          () => this.#diskUsageBytes(site.id),
        ),
        watchMemory(terminal, usesTooMuch),
      ];
      return this.#keep(site.id, terminal, async () => {
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

  #touchWhileOpen(siteId: string, terminal: Terminal): void {
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

  #keep(siteId: string, terminal: Terminal, leave = async () => {}): Terminal {
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

/** Where the kernel keeps no limit, somebody has to look. Returns how to stop. */
function watchMemory(terminal: Pty, usesTooMuch: ShellEntry['usesTooMuch']): () => void {
  const clock = setInterval(() => {
    if (usesTooMuch(terminal.pid)) endSaying(terminal, 'It used more memory than it may, and was ended.');
  }, MEMORY_LOOK_MS).unref();
  return () => clearInterval(clock);
}

function endSaying(terminal: Pty, message: string): void {
  terminal.say(`\r\n${message}\r\n`);
  terminal.end();
}

/** The name of the site in front of each line: whoever has several windows open must see which one they type into. */
export function promptOf({ url }: SiteSpec): Record<string, string> {
  const prompt = `\\[\\e[32m\\]${new URL(url).hostname}\\[\\e[0m\\]:\\[\\e[34m\\]\\w\\[\\e[0m\\] $ `;
  return { PS1: prompt, PROMPT_DIRTRIM: '1' };
}

function environmentOf(site: SiteSpec): Record<string, string> {
  return { TERM: 'xterm-256color', COLORTERM: 'truecolor', ...promptOf(site) };
}
