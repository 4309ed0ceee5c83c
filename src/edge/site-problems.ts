import type { Gate } from './gate.ts';
import type { HostedSite } from './hosted-site.ts';
import type { EdgeReports } from './route.ts';

const LEVELS = { vary: 'warning', head: 'fatal' } as const;
const REPEAT_MS = 10 * 60_000;

/**
 * Writes what is wrong with a site's responses to its log, so that its owner can fix it. Every request can show the same
 * problem, so each kind is written once in ten minutes.
 */
export class SiteProblems {
  readonly #reports: Pick<EdgeReports, 'logError'>;
  readonly #loggedAtMs = new WeakMap<HostedSite, Map<string, number>>();

  constructor(reports: Pick<EdgeReports, 'logError'>) {
    this.#reports = reports;
  }

  /** `request` is the method and path of the request that showed the problem. */
  report({ site, route, preview }: Gate, kind: keyof typeof LEVELS, message: string, request: string): void {
    // A preview has no log.
    if (preview) return;
    const nowMs = performance.now();
    const loggedAtMs = this.#loggedAtMs.get(site) ?? new Map<string, number>();
    if (nowMs - (loggedAtMs.get(kind) ?? -Infinity) < REPEAT_MS) return;
    this.#loggedAtMs.set(site, loggedAtMs.set(kind, nowMs));
    const entry = { atMs: Date.now(), level: LEVELS[kind], message, file: null, line: null, request };
    this.#reports.logError(route.site, entry);
  }
}
