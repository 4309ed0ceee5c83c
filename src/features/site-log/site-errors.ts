import type { SiteHost, SiteRef } from '#host/site-host.ts';
import type { ErrorGroup } from '#host/site-log/error-groups.ts';
import type { SiteError, SiteErrorsQuery } from './site-log.schema.ts';

const DEFAULT_SIZE = 50;

export interface SiteErrors {
  count: number;
  results: SiteError[];
}

/** The errors of a site, each once. The log is on the host and so is the counting: what comes back is short. */
export async function listErrors(hosts: SiteHost, site: SiteRef, query: SiteErrorsQuery): Promise<SiteErrors> {
  const { groups } = await hosts.groupErrors(site, query.since === undefined ? undefined : Date.parse(query.since));
  const found = query.level === undefined ? groups : groups.filter(({ last }) => last.level === query.level);
  const size = query.size ?? DEFAULT_SIZE;
  const from = ((query.page ?? 1) - 1) * size;
  return { count: found.length, results: found.slice(from, from + size).map(toWire) };
}

function toWire({ id, count, firstAtMs, lastAtMs, last }: ErrorGroup): SiteError {
  const { level, message, file, line, request } = last;
  return {
    id,
    count,
    first_at: new Date(firstAtMs),
    last_at: new Date(lastAtMs),
    level,
    message,
    file,
    line,
    request,
  };
}
