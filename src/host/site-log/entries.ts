import { SECRET_WORDS } from '#core/mask-secrets.ts';

/**
 * The lines of a site's log. One is a JSON object without a line break in it, so nothing that a site or a visitor writes can
 * look like another line; and each of its texts is cut, so that a line is never long.
 */
export type LogKind = 'error' | 'access';

export const ERROR_LEVELS = ['fatal', 'warning', 'notice', 'deprecated', 'plain'] as const;
/** `plain`: the site's own words, by error_log() and the like. */
type ErrorLevel = (typeof ERROR_LEVELS)[number];

export interface ErrorEntry {
  atMs: number;
  level: ErrorLevel;
  message: string;
  file: string | null;
  line: number | null;
  /** What PHP was at: method and path of a request, or a command without its options. */
  request: string | null;
}

export interface VisitEntry {
  atMs: number;
  method: string;
  /** With the query. */
  path: string;
  status: number;
  bytes: number;
  durationMs: number;
  /** How the page cache came in; null where it did not. */
  cache: string | null;
  clientAddress: string;
  userAgent: string | null;
  referrer: string | null;
}

/** The platform's own words in a log: what is missing here, and why. */
interface NoteEntry {
  atMs: number;
  note: string;
}

export type LogEntry = ErrorEntry | VisitEntry | NoteEntry;

const MAX_MESSAGE = 8_000;
const MAX_PATH = 2_000;
const MAX_SHORT = 500;

export function errorLine(entry: ErrorEntry): string {
  return `${JSON.stringify({
    atMs: entry.atMs,
    level: entry.level,
    message: cleanText(entry.message, MAX_MESSAGE),
    file: entry.file === null ? null : cleanText(entry.file, MAX_SHORT),
    line: entry.line,
    request: entry.request === null ? null : cleanText(maskAddress(entry.request), MAX_PATH),
  } satisfies ErrorEntry)}\n`;
}

/** Written by hand: this is on the way of every visit, and half as dear as handing over the whole object. */
export function visitLine(entry: VisitEntry): string {
  const { atMs, status, bytes, cache } = entry;
  const texts = `"method":${quoted(entry.method, MAX_SHORT)},"path":${quoted(maskAddress(entry.path), MAX_PATH)}`;
  const numbers = `"status":${status},"bytes":${bytes},"durationMs":${Math.round(entry.durationMs)}`;
  const who = `"clientAddress":${quoted(entry.clientAddress, MAX_SHORT)},"userAgent":${quoted(entry.userAgent, MAX_SHORT)}`;
  const from = quoted(entry.referrer === null ? null : maskAddress(entry.referrer), MAX_SHORT);
  return `{"atMs":${atMs},${texts},${numbers},"cache":${quoted(cache, MAX_SHORT)},${who},"referrer":${from}}\n`;
}

export function noteLine(note: string, atMs = Date.now()): string {
  return `${JSON.stringify({ atMs, note } satisfies NoteEntry)}\n`;
}

/** Undefined for what is no line of ours, or only half of one: the machine may have lost power while it was written. */
export function parseLine(text: string): LogEntry | undefined {
  try {
    const entry = JSON.parse(text);
    return typeof entry?.atMs === 'number' ? entry : undefined;
  } catch {
    return undefined;
  }
}

/** The lines of errors and notes that somebody else has made, as ours are; whatever else is among them is left out. */
export function errorLinesOf(lines: string): string {
  return lines
    .split('\n')
    .map((line) => {
      const entry = parseLine(line);
      if (!entry || !Number.isSafeInteger(entry.atMs)) return '';
      if ('note' in entry)
        return typeof entry.note === 'string' ? noteLine(cleanText(entry.note, MAX_SHORT), entry.atMs) : '';
      return isError(entry) ? errorLine(entry) : '';
    })
    .join('');
}

function isError(entry: LogEntry): entry is ErrorEntry {
  const { level, message, file, line, request } = entry as Partial<Record<keyof ErrorEntry, unknown>>;
  const isTextOrNull = (value: unknown) => value === null || typeof value === 'string';
  return (
    ERROR_LEVELS.some((known) => known === level) &&
    typeof message === 'string' &&
    isTextOrNull(file) &&
    (line === null || Number.isSafeInteger(line)) &&
    isTextOrNull(request)
  );
}

/** Nearly every text is short and plain, and then it is its own JSON. */
const PLAIN = /^[ !#-[\]-~]*$/;

function quoted(text: string | null, maxLength: number): string {
  if (text === null) return 'null';
  if (text.length <= maxLength && PLAIN.test(text)) return `"${text}"`;
  return JSON.stringify(cleanText(text, maxLength));
}

/** Of a text that was cut before. */
const CUT = /^… \(\d{1,12} more characters\)$/;

/** What stays readable wherever it is shown: no control characters but line breaks and tabs, and no half characters. */
function cleanText(text: string, maxLength: number): string {
  const isLong = text.length > maxLength && !CUT.test(text.slice(maxLength));
  const kept = isLong ? `${text.slice(0, maxLength)}… (${text.length - maxLength} more characters)` : text;
  return kept.toWellFormed().replace(/[^\P{Cc}\n\t]/gu, '\ufffd');
}

/**
 * Query parameters whose value lets somebody in: our own sign-in link, WordPress' password reset, and what plugins, shops
 * and sign-ins of others use. Nonces are good for nobody but who got them.
 */
const SECRET_NAME = new RegExp(
  [
    // Within other words these mean something else: a keyword, a hotpick.
    '(?:^|[_[-])(?:key|pass|pwd|sig|auth|code)\\]?$',
    '(?:^|[_[-])t?otp(?:$|[_\\]-])',
    SECRET_WORDS,
  ].join('|'),
  'i',
);
const MASK = '[cut]';

/** An address as it may be kept: without a name and password in it, and without the secrets in its query. */
export function maskAddress(address: string): string {
  const bare = address.includes('@') ? address.replace(/^(\w+:\/\/)[^/?#@]*@/, '$1') : address;
  const mark = bare.indexOf('?');
  if (mark < 0) return bare;
  // Not by one pattern: whoever sends a long query without an = would make it look at each place from each place.
  const pairs = bare.slice(mark + 1).split('&');
  return `${bare.slice(0, mark)}?${pairs.map(maskPair).join('&')}`;
}

function maskPair(pair: string): string {
  const equals = pair.indexOf('=');
  return equals > 0 && isSecretName(pair.slice(0, equals)) ? `${pair.slice(0, equals)}=${MASK}` : pair;
}

const NOT_PLAIN = /[%[.+ ]/;

/** PHP reads `key[]` and `%6bey` as `key` too, and `user.pass` and `user+pass` as `user_pass`. */
function isSecretName(name: string): boolean {
  if (!NOT_PLAIN.test(name)) return SECRET_NAME.test(name);
  let decoded = name;
  try {
    decoded = decodeURIComponent(name);
  } catch {
    // It stays as it was sent.
  }
  const read = decoded.replace(/[.+ ]/g, '_');
  return SECRET_NAME.test(read) || SECRET_NAME.test(read.replace(/\[.*$/s, ''));
}
