import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '#core/log.ts';
import { askPlatform, hearPlatform, type PlatformDoor } from '#core/platform-door.ts';
import type { SiteChanges } from '#core/site-changes.ts';
import type { EdgeReports, RouteSource } from '#edge/route.ts';
import type { TouchRecords } from '#features/backup-clock/backup-clock.ts';
import type { HoldRecords } from '#features/hold/hold.ts';
import type { ToldRecords } from '#features/instance/told-by-sites.ts';
import type { SiteHost } from '#host/site-host.ts';
import type { SiteLog } from '#host/site-log/site-log.ts';
import { NEWS, NEWS_BEAT_MS, type PodAnswer, type PodCall, type PodInput, type PodNews } from './pod-calls.ts';

const AGAIN_MS = 500;
/** Three beats. */
const SILENCE_MS = 3 * NEWS_BEAT_MS;
/** Until the platform has the site to itself. */
const RESTORE_MS = 90_000;
/** At its end a pod has a minute for all that is left to tell, and most of it is for its visitors. */
const LEAVING_MS = 3_000;

/** The platform, as the pod of a site asks and tells it: in place of the database that other hosts have. */
export class PlatformClient {
  readonly #door: PlatformDoor;
  readonly #log: Log;
  readonly #ending = new AbortController();
  #hearing: Promise<void> = Promise.resolve();
  /** Whether news come in, without which nothing is known for sure. */
  isHeard = false;
  /** From here on nobody is waited for long. */
  isLeaving = false;
  #changed: (siteId: string) => void = () => {};
  #missed: () => void = () => {};
  #purged: (siteId: string) => void = () => {};

  constructor(door: PlatformDoor, log: Log) {
    this.#door = door;
    this.#log = log;
  }

  ask<Name extends PodCall>(call: Name, input: PodInput<Name>): Promise<PodAnswer<Name>> {
    const timeoutMs = this.isLeaving ? LEAVING_MS : call === 'restoreLost' ? RESTORE_MS : undefined;
    return askPlatform(this.#door, call, input, timeoutMs) as Promise<PodAnswer<Name>>;
  }

  get holds(): HoldRecords {
    return {
      announce: ({ host: _host, idle_since, ...process }) =>
        this.ask('announce', { ...process, idle_since: textOf(idle_since) }),
      leave: (id) => this.ask('leave', { id }),
      list: (siteIds) => this.ask('holds', siteIds === undefined ? {} : { siteIds: [...siteIds] }),
      answer: ({ site_id, event_id }, processId) =>
        this.ask('letGo', { siteId: site_id, eventId: event_id, processId }),
      follow: async (changed, missed) => {
        this.#changed = changed;
        this.#missed = missed;
        const first = Promise.withResolvers<void>();
        this.#hearing = this.#hear(first.resolve);
        await first.promise;
      },
    };
  }

  get touches(): TouchRecords {
    return {
      touch: (siteIds) => this.ask('touch', { siteIds }),
      touchLatest: (seconds) => this.ask('touchLatest', { seconds: Math.ceil(seconds) }),
    };
  }

  get told(): ToldRecords {
    return {
      purged: (siteId) => this.ask('purged', { siteId }),
      statuses: (statuses) =>
        this.ask('statuses', {
          statuses: [...statuses].map(([siteId, { faviconUrl, title, nextCronAt }]) => ({
            siteId,
            // What is too long to be told is not worth losing the rest for.
            faviconUrl: faviconUrl !== null && faviconUrl.length > 2000 ? null : faviconUrl,
            title: title?.slice(0, 500) ?? null,
            nextCronAt: textOf(nextCronAt),
          })),
        }),
    };
  }

  routes(siteChanges: SiteChanges): RouteSource {
    return {
      loadAll: () => this.ask('routes', {}),
      load: async (siteIds) => (await Promise.all(siteIds.map((siteId) => this.ask('routes', { siteId })))).flat(),
      subscribe: async (changed) => siteChanges.subscribe(changed),
    };
  }

  reports(siteLog: SiteLog): EdgeReports {
    return {
      woke: (siteId) => this.ask('woke', { siteId }),
      usage: (usage) =>
        this.ask('usage', {
          usage: usage.map(({ teamId: _team, durations, lastVisitAt, ...counted }) => ({
            ...counted,
            durations: [...durations],
            lastVisitAt: textOf(lastVisitAt),
          })),
        }),
      visited: (site, visit) => siteLog.visit(site, visit),
      logError: (site, entry) => siteLog.error(site, entry),
      purged: (siteId) =>
        void this.ask('purged', { siteId }).catch((error) =>
          this.#log.warn({ err: error, siteId }, 'could not tell of changed pages'),
        ),
    };
  }

  /** What goes wrong in the site is in its log, which the keeper has. Nobody visits it here. */
  get log(): Pick<SiteHost, 'appendLog'> {
    return {
      appendLog: async ({ id }, kind, lines) => {
        if (kind === 'error') await this.ask('errors', { siteId: id, lines });
      },
    };
  }

  onPurged(purged: (siteId: string) => void): void {
    this.#purged = purged;
  }

  async close(): Promise<void> {
    this.#ending.abort();
    await this.#hearing;
  }

  /** For as long as the pod runs, from whichever process of the platform answers. */
  async #hear(begun: () => void): Promise<void> {
    const { signal } = this.#ending;
    while (!signal.aborted) {
      const heard = (line: string) => {
        this.isHeard = true;
        begun();
        if (line !== '') this.#take(JSON.parse(line) as PodNews);
      };
      await hearPlatform(this.#door, NEWS, heard, { silenceMs: SILENCE_MS, signal }).catch((error) => {
        if (!signal.aborted) this.#log.warn({ err: error }, 'the platform is not heard; trying again');
      });
      this.isHeard = false;
      await sleep(AGAIN_MS, undefined, { signal }).catch(() => {});
    }
    begun();
  }

  #take(news: PodNews): void {
    if ('changed' in news) this.#changed(news.changed);
    else if ('purged' in news) this.#purged(news.purged);
    else this.#missed();
  }
}

const textOf = (date: Date | null): string | null => date?.toISOString() ?? null;
