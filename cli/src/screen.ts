import { Stop } from './exit.ts';

type Row = Record<string, unknown>;
type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan';
const STYLES: Record<Style, [number, number]> = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  cyan: [36, 39],
};

/** Stands for the beginning of an escape sequence of ours until it is written. What others wrote can not have it in it. */
const OURS = `<${Math.random()}>`;

/** A column of a table: its head, and what stands in it. */
export type Columns<T> = Record<string, (item: T) => string>;

/** What is written where: results to stdout, everything else to stderr, so that a script reads results alone. */
export class Screen {
  readonly isTerminal = process.stdout.isTTY === true;
  /** Whether somebody is there to be asked. */
  readonly isInteractive: boolean;
  readonly #hasColour: boolean;

  constructor(env: NodeJS.ProcessEnv) {
    this.isInteractive = process.stdin.isTTY === true && process.stderr.isTTY === true && !env.CI;
    this.#hasColour = this.isTerminal && !env.NO_COLOR && env.TERM !== 'dumb';
  }

  paint(style: Style, text: string): string {
    const [on, off] = STYLES[style];
    return this.#hasColour ? `${OURS}[${on}m${text}${OURS}[${off}m` : text;
  }

  print(text: string): void {
    process.stdout.write(`${written(text)}\n`);
  }

  /** For people only: what went well, what to do next. */
  note(text: string): void {
    process.stderr.write(`${written(text)}\n`);
  }

  done(text: string): void {
    this.note(`${this.paint('green', '✓')} ${text}`);
  }

  /** A table for people, lines with tabs for other programs, JSON where that was asked for. */
  list<T extends object>(
    items: T[],
    columns: Columns<T>,
    { json, empty }: { json?: string | boolean | undefined; empty: string },
  ): void {
    if (json) {
      this.json(items, json);
      return;
    }
    const rows = items.map((item) => Object.values(columns).map((cell) => oneLine(cell(item))));
    if (!this.isTerminal) {
      for (const row of rows) this.print(row.join('\t'));
      return;
    }
    if (rows.length === 0) {
      this.note(empty);
      return;
    }
    const heads = Object.keys(columns);
    const widths = heads.map((head, at) => Math.max(head.length, ...rows.map((row) => widthOf(row[at] as string))));
    // A terminal that does not know its width says 0.
    fit(widths, process.stdout.columns || 80);
    const line = (cells: string[]) =>
      cells
        .map((cell, at) => pad(cell, widths[at] as number))
        .join('  ')
        .trimEnd();
    this.print(this.paint('dim', line(heads.map((head) => head.toUpperCase()))));
    for (const row of rows) this.print(line(row));
  }

  /** One thing: its fields one below the other, or JSON. */
  show<T extends object>(item: T, fields: Columns<T>, { json }: { json?: string | boolean | undefined } = {}): void {
    if (json) {
      this.json(item, json);
      return;
    }
    const width = Math.max(...Object.keys(fields).map((name) => name.length));
    for (const [name, value] of Object.entries(fields)) {
      const text = value(item);
      if (text !== '') this.print(`${this.paint('dim', `${name}:`.padEnd(width + 1))} ${text}`);
    }
  }

  /** `fields` are names with commas between them; `true` means all. */
  json(value: object, fields: string | boolean): void {
    const picked =
      typeof fields === 'string'
        ? pick(
            value,
            fields.split(',').map((name) => name.trim()),
          )
        : value;
    this.jsonLine(picked, this.isTerminal ? 2 : 0);
  }

  /** One of many, as they come. */
  jsonLine(value: unknown, indent = 0): void {
    this.print(JSON.stringify(value, null, indent).replaceAll(HARMFUL, escaped));
  }
}

function pick(value: object, names: string[]): unknown {
  if (Array.isArray(value)) {
    const known = new Set(value.flatMap((item) => Object.keys(item)));
    if (value.length > 0) requireKnown(names, known);
    return value.map((item) => only(item, names));
  }
  requireKnown(names, new Set(Object.keys(value)));
  return only(value as Row, names);
}

function requireKnown(names: string[], known: Set<string>): void {
  const wrong = names.filter((name) => !known.has(name));
  if (wrong.length === 0) return;
  throw new Stop(`There is no field ${wrong.join(', ')}.`, { advice: `There are: ${[...known].sort().join(', ')}.` });
}

const only = (item: Row, names: string[]) => Object.fromEntries(names.map((name) => [name, item[name] ?? null]));
/** What others wrote could move the cursor, colour the screen, or turn the text around. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const HARMFUL = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/g;
export const harmless = (text: string) => text.replaceAll(HARMFUL, '');
const written = (text: string) => harmless(text).replaceAll(OURS, '\x1b');
/** The same for whoever reads JSON. */
const escaped = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
export const oneLine = (text: string) => harmless(text.replaceAll(/\s+/g, ' ')).trim();
const widthOf = (text: string) => [...text].length;
const pad = (text: string, width: number) =>
  widthOf(text) > width ? `${[...text].slice(0, width - 1).join('')}…` : text + ' '.repeat(width - widthOf(text));

/** Takes from the widest columns until the table fits. */
function fit(widths: number[], screen: number): void {
  let over = widths.reduce((sum, width) => sum + width + 2, -2) - screen;
  for (; over > 0; over--) {
    const widest = widths.indexOf(Math.max(...widths));
    if ((widths[widest] as number) <= 8) return;
    (widths[widest] as number)--;
  }
}

/** A moment as people say it on a terminal, and as programs read it elsewhere. */
export function ago(iso: string | null, isTerminal: boolean, now = Date.now()): string {
  if (iso === null) return '';
  if (!isTerminal) return iso;
  const seconds = Math.round((now - Date.parse(iso)) / 1000);
  const text = spanOf(Math.abs(seconds));
  if (text === undefined) return 'just now';
  return seconds >= 0 ? `${text} ago` : `in ${text}`;
}

function spanOf(seconds: number): string | undefined {
  if (seconds < 10) return undefined;
  for (const [limit, unit, name] of [
    [60, 1, 'second'],
    [3600, 60, 'minute'],
    [86_400, 3600, 'hour'],
    [30 * 86_400, 86_400, 'day'],
    [365 * 86_400, 30 * 86_400, 'month'],
    [Number.POSITIVE_INFINITY, 365 * 86_400, 'year'],
  ] as const)
    if (seconds < limit) return count(Math.floor(seconds / unit), name);
  return undefined;
}

export const count = (number: number, thing: string) =>
  `${number.toLocaleString('en')} ${thing}${number === 1 ? '' : 's'}`;

export function bytes(size: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  const power = size < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(size) / 3));
  return `${(size / 1000 ** power).toFixed(power === 0 || size >= 100 * 1000 ** power ? 0 : 1)} ${units[power]}`;
}
