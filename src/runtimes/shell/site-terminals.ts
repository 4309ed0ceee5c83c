import type { Listeners } from '#runtimes/folders/listeners.ts';
import type { SiteSpec, Terminal, TerminalSize } from '#runtimes/runtime.ts';
import type { Spawn } from '#sandbox/sandbox.ts';
import { openPty } from './pty.ts';

/** What is to be spawned for a program in a site's sandbox, and what is to be done when it has ended. */
export type EnterSandbox = (
  site: SiteSpec,
  wish: { args: readonly string[]; env?: Record<string, string> },
) => Promise<{ spawn: Spawn; leave(): Promise<void> }>;

const SHELL = ['/bin/bash', '-i'];
/** A program that shows nothing may write to the site all the same. */
const TOUCH_MS = 30_000;

/** The terminals of a driver's sites. */
export class SiteTerminals {
  readonly #enter: EnterSandbox;
  readonly #listeners: Pick<Listeners, 'touched' | 'changed'>;
  /** Those that are open or not quite gone yet, by site. */
  readonly #open = new Map<string, Map<Terminal, Promise<unknown>>>();

  constructor(enter: EnterSandbox, listeners: Pick<Listeners, 'touched' | 'changed'>) {
    this.#enter = enter;
    this.#listeners = listeners;
  }

  async open(site: SiteSpec, size: TerminalSize, requireOpen: () => void): Promise<Terminal> {
    const { spawn, leave } = await this.#enter(site, { args: SHELL, env: environmentOf(site) });
    try {
      // Some work may have taken the site meanwhile.
      requireOpen();
      const terminal = openPty(spawn, size);
      this.#keep(site.id, terminal, terminal.ended.then(leave));
      this.#touchWhileOpen(site.id, terminal);
      return terminal;
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

  #keep(siteId: string, terminal: Terminal, left: Promise<unknown>): void {
    const open = this.#open.get(siteId) ?? new Map();
    const gone = left
      .catch(() => {})
      .finally(() => {
        open.delete(terminal);
        if (open.size === 0 && this.#open.get(siteId) === open) this.#open.delete(siteId);
      });
    this.#open.set(siteId, open.set(terminal, gone));
  }
}

/** The name of the site in front of each line: whoever has several windows open must see which one they type into. */
function environmentOf({ url }: SiteSpec): Record<string, string> {
  const prompt = `\\[\\e[32m\\]${new URL(url).hostname}\\[\\e[0m\\]:\\[\\e[34m\\]\\w\\[\\e[0m\\] $ `;
  return { TERM: 'xterm-256color', COLORTERM: 'truecolor', PS1: prompt, PROMPT_DIRTRIM: '1' };
}
