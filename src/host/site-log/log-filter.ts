import type { LogEntry } from './entries.ts';

/** Which lines of a log somebody wants to see. It is data, for the log may be on another machine. */
export interface LogFilter {
  sinceMs?: number | undefined;
  untilMs?: number | undefined;
  /** Part of any text of the line, in whatever case. */
  search?: string | undefined;
  /** `404`, or `5xx` for all that begin so; only visits have one. */
  status?: string | undefined;
  /** Only visits asked for so, and of a path with this in it, in whatever case. */
  method?: string | undefined;
  path?: string | undefined;
  /** Only visits that took at least so long. */
  minDurationMs?: number | undefined;
}

/** Lines are in the order in which they were written, and several processes write: one may be so much older than the one before it. */
const DISORDER_MS = 60_000;

/** `stop`: it is older than whatever is looked for, and so is the rest. */
export function judgeOf(filter: LogFilter): (entry: LogEntry) => 'take' | 'pass' | 'stop' {
  const { sinceMs = Number.NEGATIVE_INFINITY, untilMs = Number.POSITIVE_INFINITY } = filter;
  const matches = matcherOf(filter);
  return (entry) => {
    if (entry.atMs < sinceMs - DISORDER_MS) return 'stop';
    return entry.atMs >= sinceMs && entry.atMs <= untilMs && matches(entry) ? 'take' : 'pass';
  };
}

/** Whether a line is one of those that were asked for, whenever it was written. */
export function matcherOf({
  search,
  status,
  method,
  path,
  minDurationMs = 0,
}: Omit<LogFilter, 'sinceMs' | 'untilMs'>): (entry: LogEntry) => boolean {
  const wanted = search?.toLowerCase();
  const wantedPath = path?.toLowerCase();
  const statusPattern = status === undefined ? undefined : new RegExp(`^${status.replace('xx', '\\d\\d')}$`);
  return (entry) => {
    if (statusPattern && !('status' in entry && statusPattern.test(String(entry.status)))) return false;
    if (method !== undefined && !('method' in entry && entry.method === method)) return false;
    if (wantedPath !== undefined && !('path' in entry && entry.path.toLowerCase().includes(wantedPath))) return false;
    if (minDurationMs > 0 && !('durationMs' in entry && entry.durationMs >= minDurationMs)) return false;
    return wanted === undefined || textsOf(entry).some((text) => text?.toLowerCase().includes(wanted));
  };
}

function textsOf(entry: LogEntry): (string | null)[] {
  if ('note' in entry) return [entry.note];
  if ('message' in entry) return [entry.message, entry.file, entry.request, entry.level];
  return [`${entry.method} ${entry.path}`, entry.clientAddress, entry.userAgent, entry.referrer];
}
