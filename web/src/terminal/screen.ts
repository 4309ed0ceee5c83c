import { FitAddon } from '@xterm/addon-fit';
import { SearchAddon } from '@xterm/addon-search';
import { Unicode11Addon } from '@xterm/addon-unicode11';
import { WebLinksAddon } from '@xterm/addon-web-links';
import { Terminal } from '@xterm/xterm';
import '@xterm/xterm/css/xterm.css';
import type { Screen } from './connection.ts';
import { leaveKey } from './leave-key.ts';
import { PALETTES } from './palette.ts';
import type { TerminalSettings } from './settings.ts';

const SCROLLBACK_LINES = 5_000;
/** As the service takes them. */
const SMALLEST = { columns: 2, rows: 2 };
const LARGEST = { columns: 500, rows: 300 };

/** xterm with what we use of it. */
export class XtermScreen implements Screen {
  readonly terminal: Terminal;
  readonly #fit = new FitAddon();
  readonly #search = new SearchAddon();

  constructor(settings: TerminalSettings, isDark: boolean) {
    this.terminal = new Terminal({
      allowProposedApi: true,
      cursorBlink: true,
      scrollback: SCROLLBACK_LINES,
      fontFamily: getComputedStyle(document.documentElement).getPropertyValue('--font-mono') || 'monospace',
      minimumContrastRatio: 4.5,
      rescaleOverlappingGlyphs: true,
      ...optionsOf(settings, isDark),
    });
    const links = new WebLinksAddon((_event, address) => void open(address, '_blank', 'noopener,noreferrer'));
    for (const addon of [this.#fit, this.#search, links, new Unicode11Addon()]) this.terminal.loadAddon(addon);
    this.terminal.unicode.activeVersion = '11';
    const isLeaving = leaveKey();
    // The browser handles the key instead of xterm, and moves the focus.
    this.terminal.attachCustomKeyEventHandler((event) => !isLeaving(event));
  }

  apply(settings: TerminalSettings, isDark: boolean): void {
    Object.assign(this.terminal.options, optionsOf(settings, isDark));
    this.fit();
  }

  fit(): void {
    // A page that is being left is hidden first. A shell that is made narrow for it draws over what is above its prompt.
    if (!this.terminal.element?.parentElement?.clientWidth) return;
    const wanted = this.#fit.proposeDimensions();
    if (!wanted || Number.isNaN(wanted.cols) || Number.isNaN(wanted.rows)) return;
    const columns = within(wanted.cols, SMALLEST.columns, LARGEST.columns);
    const rows = within(wanted.rows, SMALLEST.rows, LARGEST.rows);
    if (columns !== this.terminal.cols || rows !== this.terminal.rows) this.terminal.resize(columns, rows);
  }

  draw(bytes: Uint8Array): Promise<void> {
    return new Promise((resolve) => this.terminal.write(bytes, resolve));
  }

  clear(): void {
    this.terminal.reset();
  }

  size(): { columns: number; rows: number } {
    return { columns: this.terminal.cols, rows: this.terminal.rows };
  }

  find(text: string, direction: 'next' | 'previous'): boolean {
    return direction === 'next' ? this.#search.findNext(text) : this.#search.findPrevious(text);
  }

  endSearch(): void {
    this.#search.clearDecorations();
    this.terminal.clearSelection();
  }
}

function optionsOf({ fontSize, isForReader }: TerminalSettings, isDark: boolean) {
  return { fontSize, screenReaderMode: isForReader, theme: PALETTES[isDark ? 'dark' : 'light'] };
}

const within = (value: number, least: number, most: number) => Math.min(most, Math.max(least, value));
