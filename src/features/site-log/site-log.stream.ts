import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Caller } from '#core/auth/caller.ts';
import { drained } from '#core/http/event-stream.ts';
import type { Services } from '#core/services.ts';
import { type SiteRow, siteIsInTeam } from '#features/instance/instance.ts';
import { matcherOf } from '#host/site-log/log-filter.ts';
import { formatPlace, parsePlace } from '#host/site-log/log-reader.ts';
import type { LogQuery } from './site-log.schema.ts';
import { toWire } from './site-log.ts';

const LOOK_MS = 1_000;
/** So many looks are between two questions whether the site is still the team's; nobody announces that to a stream. */
const LOOKS_PER_CHECK = 5;
const LOOKS_PER_HEARTBEAT = 15;

/**
 * A site's log as it is written (Server-Sent Events): the files are looked at once a second, since whoever writes them may be
 * another process. It ends with the process, with the caller's rights and when the site leaves the team; an id is a place in the log, so
 * that whoever comes back with Last-Event-ID misses nothing.
 */
export async function streamSiteLog(
  services: Services,
  caller: Caller,
  site: SiteRow,
  query: Pick<LogQuery, 'kind' | 'search' | 'status' | 'method' | 'path' | 'min_duration_ms'>,
  lastEventId: string | undefined,
  response: ServerResponse,
): Promise<void> {
  const { events, hosts, db, log } = services;
  const { kind = 'error' } = query;
  const matches = matcherOf({ ...query, minDurationMs: query.min_duration_ms });
  const ending = new AbortController();
  const end = () => {
    ending.abort();
    // Whoever does not read would keep us waiting for ever.
    if (response.writableNeedDrain) response.destroy();
  };
  response.once('close', end);
  let leave = () => {};
  try {
    // Counted, and ended, like a stream of events. What it would be told of those it does not need.
    leave = await events.subscribe({ caller, receive: () => {}, end });
    let place = parsePlace(lastEventId) ?? (await hosts.endOfLog(site, kind));
    response.write(`retry: 1000\nid: ${formatPlace(place)}\n\n`);
    for (let look = 1; !ending.signal.aborted; look++) {
      const expiresAt = caller.credential.expiresAt?.getTime() ?? Number.POSITIVE_INFINITY;
      if (Date.now() >= expiresAt) break;
      if (look % LOOKS_PER_CHECK === 0 && !(await siteIsInTeam(db, site.id, site.team_id, site.kind))) break;
      const read = await hosts.readLogOn(site, kind, place);
      place = read.place;
      const told = read.entries.filter(({ entry }) => matches(entry));
      const text = told.map((placed) => message(formatPlace(placed.to), toWire(kind, placed))).join('');
      const beat = look % LOOKS_PER_HEARTBEAT === 0 ? ': still here\n\n' : '';
      if ((text || beat) && !response.write(text + beat)) await drained(response);
      // Who is behind goes on at once.
      if (read.entries.length === 0)
        await sleep(LOOK_MS, undefined, { signal: ending.signal, ref: false }).catch(() => {});
    }
  } catch (error) {
    log.warn({ err: error }, 'a stream of a site’s log broke off');
  } finally {
    leave();
    response.end();
  }
}

const message = (id: string, entry: unknown) => `id: ${id}\nevent: line\ndata: ${JSON.stringify(entry)}\n\n`;
