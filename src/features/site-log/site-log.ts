import { invalid } from '#core/errors.ts';
import type { SiteHost, SiteRef } from '#host/site-host.ts';
import type { LogKind } from '#host/site-log/entries.ts';
import { formatPlace, type PlacedEntry, parsePlace } from '#host/site-log/log-reader.ts';
import type { LogQuery, SiteLogEntry, SiteLogPage } from './site-log.schema.ts';

const DEFAULT_SIZE = 50;

export async function readSiteLog(hosts: SiteHost, site: SiteRef, query: LogQuery): Promise<SiteLogPage> {
  const { kind = 'error', since, until, search, status, method, path, min_duration_ms: minDurationMs } = query;
  const ofVisits = { status: 'a status', method: 'a method', path: 'a path', min_duration_ms: 'a duration' };
  for (const [name, what] of Object.entries(ofVisits) as [keyof typeof ofVisits, string][])
    if (kind === 'error' && query[name] !== undefined)
      throw invalid({ loc: ['query', name], msg: `Value error, only visits have ${what}`, type: 'value_error' });
  const { entries, next } = await hosts.readLog(site, kind, {
    before: parsePlace(query.cursor),
    limit: query.size ?? DEFAULT_SIZE,
    sinceMs: since === undefined ? undefined : Date.parse(since),
    untilMs: until === undefined ? undefined : Date.parse(until),
    search,
    status,
    method,
    path,
    minDurationMs,
  });
  return {
    results: entries.map((placed) => toWire(kind, placed)),
    next_cursor: next === undefined ? null : formatPlace(next),
  };
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
