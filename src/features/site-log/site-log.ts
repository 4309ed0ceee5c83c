import { invalid } from '#core/errors.ts';
import type { LogEntry, LogKind } from '#core/site-log/entries.ts';
import { formatPlace, type PlacedEntry, parsePlace } from '#core/site-log/log-reader.ts';
import type { SiteLog } from '#core/site-log/site-log.ts';
import type { LogQuery, SiteLogEntry, SiteLogPage } from './site-log.schema.ts';

const DEFAULT_SIZE = 50;
/** Lines are in the order in which they were written, and several processes write: one may be so much older than the one before it. */
const DISORDER_MS = 60_000;

export async function readSiteLog(siteLog: SiteLog, siteId: string, query: LogQuery): Promise<SiteLogPage> {
  const { kind = 'error', since, until, status } = query;
  if (kind === 'error' && status !== undefined)
    throw invalid({ loc: ['query', 'status'], msg: 'Value error, only visits have a status', type: 'value_error' });
  const sinceMs = since === undefined ? Number.NEGATIVE_INFINITY : Date.parse(since);
  const untilMs = until === undefined ? Number.POSITIVE_INFINITY : Date.parse(until);
  const matches = matcherOf(query);
  const { entries, next } = await siteLog.read(siteId, kind, {
    before: parsePlace(query.cursor),
    limit: query.size ?? DEFAULT_SIZE,
    judge(entry) {
      if (entry.atMs < sinceMs - DISORDER_MS) return 'stop';
      return entry.atMs >= sinceMs && entry.atMs <= untilMs && matches(entry) ? 'take' : 'pass';
    },
  });
  return {
    results: entries.map((placed) => toWire(kind, placed)),
    next_cursor: next === undefined ? null : formatPlace(next),
  };
}

/** Whether a line is one of those that were asked for. */
export function matcherOf({ search, status }: Pick<LogQuery, 'search' | 'status'>): (entry: LogEntry) => boolean {
  const wanted = search?.toLowerCase();
  const statusPattern = status === undefined ? undefined : new RegExp(`^${status.replace('xx', '\\d\\d')}$`);
  return (entry) => {
    if (statusPattern && !('status' in entry && statusPattern.test(String(entry.status)))) return false;
    return wanted === undefined || textsOf(entry).some((text) => text?.toLowerCase().includes(wanted));
  };
}

function textsOf(entry: LogEntry): (string | null)[] {
  if ('note' in entry) return [entry.note];
  if ('message' in entry) return [entry.message, entry.file, entry.request, entry.level];
  return [`${entry.method} ${entry.path}`, entry.clientAddress, entry.userAgent, entry.referrer];
}

export function toWire(kind: LogKind, { entry, from }: PlacedEntry): SiteLogEntry {
  const place = { id: `${kind}-${formatPlace(from)}`, at: new Date(entry.atMs) };
  if ('note' in entry) return { ...place, kind: 'note', message: entry.note };
  if ('message' in entry) {
    const { level, message, file, line, request } = entry;
    return { ...place, kind: 'error', level, message, file, line, request };
  }
  return {
    ...place,
    kind: 'access',
    method: entry.method,
    path: entry.path,
    status: entry.status,
    bytes: entry.bytes,
    duration_ms: entry.durationMs,
    cache: entry.cache,
    client_address: entry.clientAddress,
    user_agent: entry.userAgent,
    referrer: entry.referrer,
  };
}
