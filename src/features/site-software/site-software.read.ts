import { EXTENSION_NAME, type Extension, type HealthNote, KINDS } from './site-software.schema.ts';

/** What a site says of itself. It may say anything: what is kept of it is bounded, and in the shape that everybody else relies on. */
export interface Found {
  items: Extension[];
  health: HealthNote[];
  unreached: string | null;
}

export interface Answer extends Found {
  /** Of each change in its order: why it failed, or null. */
  errors: (string | null)[];
}

const MOST_ITEMS = 500;
const MOST_NOTES = 20;
const STATES: readonly Extension['state'][] = ['active', 'inactive', 'parent', 'must_use'];
const LEVELS: readonly HealthNote['level'][] = ['critical', 'recommended'];
const NAME = new RegExp(EXTENSION_NAME);
const VERSION = /^[\w.+-]{1,40}$/;

/** The line that begins with the mark; undefined where there is none, or it is not what it should be. */
export function readAnswer(stdout: string, mark: string): Answer | undefined {
  const line = stdout.split('\n').findLast((each) => each.startsWith(mark));
  const told = line === undefined ? undefined : parse(line.slice(mark.length));
  if (!told || !Array.isArray(told.items)) return undefined;
  return {
    items: listOf(told.items, MOST_ITEMS).flatMap(itemOf),
    health: listOf(told.health, MOST_NOTES).flatMap(noteOf),
    unreached: textOf(told.unreached, 300) || null,
    errors: listOf(told.results, MOST_ITEMS).map(({ error }) => textOf(error, 500) || null),
  };
}

function parse(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

function listOf(value: unknown, most: number): Record<string, unknown>[] {
  const list = Array.isArray(value) ? value.slice(0, most) : [];
  return list.map((each) => (typeof each === 'object' && each !== null ? each : {}));
}

/** One line of plain text: neither markup nor what turns the reading direction is anybody's title. */
function textOf(value: unknown, length: number): string {
  if (typeof value !== 'string') return '';
  return value
    .slice(0, 4 * length)
    .replaceAll(/[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}]+/gu, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()
    .slice(0, length);
}

function versionOf(value: unknown): string | null {
  return typeof value === 'string' && VERSION.test(value) ? value : null;
}

function itemOf(told: Record<string, unknown>): Extension[] {
  const { name } = told;
  const kind = KINDS.find((each) => each === told.kind);
  const state = STATES.find((each) => each === told.state);
  if (!kind || !state || typeof name !== 'string' || !NAME.test(name)) return [];
  const [version, update] = [versionOf(told.version), versionOf(told.update)];
  return [
    {
      kind,
      name,
      title: textOf(told.title, 100) || name,
      version,
      state,
      update: update === version ? null : update,
    },
  ];
}

function noteOf(told: Record<string, unknown>): HealthNote[] {
  const level = LEVELS.find((each) => each === told.level);
  const title = textOf(told.title, 200);
  return level && title ? [{ level, title, text: textOf(told.text, 600) }] : [];
}
