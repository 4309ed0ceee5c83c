import type { Log } from '#core/log.ts';
import type { LoggedError, RuntimeListener, SiteFailure, SiteFailureReason } from '#runtimes/runtime.ts';
import { isMail, readStatus } from './outbox.ts';

/** How a request came out, as far as others are told. */
export interface SiteRequestEnd {
  /** Pages may look different now. */
  changed: boolean;
  /** The names in the site's outbox. */
  outbox: readonly string[];
}

const SITES_OWN_DOING: ReadonlySet<SiteFailureReason> = new Set(['timeout', 'memory', 'crash']);

/** Whoever listens to a driver's sites, and what they have heard. */
export class Listeners {
  readonly #listeners: RuntimeListener[] = [];
  /** The mails that listeners have been told of, for each site that has some. */
  readonly #knownMails = new Map<string, Set<string>>();
  readonly #outboxOf: (siteId: string) => string;
  readonly #log: Log;

  constructor(outboxOf: (siteId: string) => string, log: Log) {
    this.#outboxOf = outboxOf;
    this.#log = log;
  }

  add(listener: RuntimeListener): void {
    this.#listeners.push(listener);
  }

  touched(siteId: string): void {
    for (const listener of this.#listeners) listener.touched?.(siteId);
  }

  grew(siteId: string, bytes: number): void {
    for (const listener of this.#listeners) listener.grew?.(siteId, bytes);
  }

  changed(siteId: string): void {
    for (const listener of this.#listeners) listener.changed?.(siteId);
  }

  logged(siteId: string, errors: readonly LoggedError[]): void {
    for (const listener of this.#listeners) listener.logged?.(siteId, errors);
  }

  /** A request was broken off, and nobody knows what it had changed by then. An offline site says not even which it was. */
  broken(siteId: string, failure: SiteFailure | undefined, request: string | null): void {
    this.changed(siteId);
    if (!failure || request === null || !SITES_OWN_DOING.has(failure.reason)) return;
    const { message } = failure;
    this.logged(siteId, [{ atMs: Date.now(), level: 'fatal', message, file: null, line: null, request }]);
  }

  finished(siteId: string, { changed, outbox }: SiteRequestEnd): void {
    // The answer says so too, but nobody may be left to read it.
    if (changed) this.changed(siteId);
    const mails = new Set(outbox.filter(isMail));
    const known = this.#knownMails.get(siteId);
    const hasNew = [...mails].some((name) => !known?.has(name));
    if (mails.size > 0) this.#knownMails.set(siteId, mails);
    else this.#knownMails.delete(siteId);
    if (hasNew) for (const listener of this.#listeners) listener.mail?.(siteId);
    if (outbox.includes('status.json')) this.#tellStatus(siteId);
  }

  #tellStatus(siteId: string): void {
    readStatus(this.#outboxOf(siteId)).then(
      (status) => {
        if (status) for (const listener of this.#listeners) listener.status?.(siteId, status);
      },
      (error) => this.#log.warn({ err: error, siteId }, 'could not read what a site told'),
    );
  }
}
