import { availableParallelism, loadavg } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Services } from '#core/services.ts';
import { findSiteById, type SiteRow, specOf, visitSite } from '#features/instance/instance.ts';
import type { LogPlace } from '#host/site-log/log-reader.ts';
import { SiteFailure } from '#runtimes/runtime.ts';

/** What is asked of a site before and after a change that can break it. */
const PAGES = [
  { name: 'front page', path: '/' },
  { name: 'login page', path: '/wp-login.php' },
  { name: 'REST root', path: '/?rest_route=/' },
];
/**
 * How often a page that times out is requested before it counts as broken. The timeout grows with the load of the
 * machine.
 */
export const PATIENCE = { attempts: 3, timeoutMs: 30_000, pauseMs: 2_000, maxLoadFactor: 4 };
const MAX_BYTES = 8 * 1024 * 1024;
const MAX_SAID = 5;
const MAX_SAID_LENGTH = 500;
/** Lines of a log are gathered for a moment before they are written. */
const LOG_LOOKS = 20;
const LOG_LOOK_MS = 150;

export interface PageCheck {
  page: string;
  /** Null where there was no answer. */
  status: number | null;
}

/**
 * Requests each page as a visitor would; a failure is a result too. A page that times out is requested again, because a
 * slow machine does not make it broken, unless it was broken `before`. After one page has timed out on every attempt,
 * the others are requested once.
 */
export async function lookAtPages(
  services: Services,
  site: SiteRow,
  before?: readonly PageCheck[],
): Promise<PageCheck[]> {
  const checks: PageCheck[] = [];
  let { attempts } = PATIENCE;
  for (const { name, path } of PAGES) {
    const ask = async (timeoutMs: number) => {
      const request = { method: 'GET', path, timeoutMs, maxBytes: MAX_BYTES };
      return (await visitSite(services, site.id, request)).status;
    };
    const wasBroken = before !== undefined && !isFine(before.find(({ page }) => page === name)?.status);
    const status = await askPatiently(ask, wasBroken ? 1 : attempts);
    if (status === null && !wasBroken) attempts = 1;
    checks.push({ page: name, status });
  }
  // A site that sleeps was woken for this alone.
  if ((await findSiteById(services.db, site.id))?.is_sleeping) await services.hosts.stop(specOf(services, site));
  return checks;
}

/** Returns the status of a page, or null if it failed without a response or never answered in time. */
export async function askPatiently(
  ask: (timeoutMs: number) => Promise<number>,
  attempts: number,
  { timeoutMs, pauseMs, maxLoadFactor } = PATIENCE,
  loadOf = machineLoad,
): Promise<number | null> {
  for (let attempt = 1; ; attempt++) {
    const factor = Math.min(maxLoadFactor, Math.max(1, loadOf()));
    try {
      return await ask(Math.round(timeoutMs * factor));
    } catch (error) {
      if (attempt >= attempts || isSiteFailure(error)) return null;
      await sleep(pauseMs * attempt);
    }
  }
}

/** Processes that want to run, per core. */
const machineLoad = () => (loadavg()[0] ?? 0) / availableParallelism();

/** PHP crashed during the request, so a retry does not help. */
const isSiteFailure = (error: unknown): boolean =>
  error instanceof SiteFailure && (error.reason === 'crash' || error.reason === 'memory');

const isFine = (status: number | null | undefined): status is number => typeof status === 'number' && status < 500;

/** The pages that were fine and are not any more. */
export function brokenSince(before: readonly PageCheck[], after: readonly PageCheck[]): PageCheck[] {
  return after.filter(({ page, status }) => {
    const was = before.find((each) => each.page === page)?.status;
    if (!isFine(was)) return false;
    return !isFine(status) || (was < 400 && status >= 400);
  });
}

/** What PHP wrote to the site's log since then, fatal errors first. */
export async function saidSince(services: Services, site: SiteRow, place: LogPlace): Promise<string[]> {
  for (let look = 1; ; look++) {
    const { entries } = await services.hosts.readLogOn(site, 'error', place);
    // The file that WordPress lays down while it updates itself says nothing of what came of it.
    const errors = entries.flatMap(({ entry }) =>
      'level' in entry && 'message' in entry && !entry.message.includes("'.maintenance'") ? [entry] : [],
    );
    const said = [...errors].sort((a, b) => Number(b.level === 'fatal') - Number(a.level === 'fatal'));
    if (said.length > 0 || look >= LOG_LOOKS)
      return [...new Set(said.map(({ message, file, line }) => lineOf(message, file, line)))].slice(0, MAX_SAID);
    await sleep(LOG_LOOK_MS);
  }
}

/** Without the stack, which is in the site's log. */
function lineOf(message: string, file: string | null, line: number | null): string {
  const first = message.split('\n')[0] ?? '';
  const where = file === null ? '' : ` (${file}${line === null ? '' : `:${line}`})`;
  return `${first.slice(0, MAX_SAID_LENGTH)}${where}`;
}

/** Why a change is taken back, in a sentence: `The update was rolled back, because the front page answered 500 (before: 200).` */
export function whyTakenBack(
  what: string,
  { broken, before, said }: { broken: readonly PageCheck[]; before: readonly PageCheck[]; said: readonly string[] },
): string {
  const told = broken.map(({ page, status }) => {
    const was = before.find((each) => each.page === page)?.status;
    return `the ${page} ${status === null ? 'did not answer' : `answered ${status}`} (before: ${was})`;
  });
  const php = said.length > 0 ? ` PHP said: ${said[0]}` : '';
  return `The ${what} was rolled back, because ${told.join(', ')}.${php}`;
}

/** Each page with what it answered before and after. */
export function comparePages(before: readonly PageCheck[], after: readonly PageCheck[] = []) {
  const now = (page: string) => after.find((each) => each.page === page)?.status ?? null;
  return before.map(({ page, status }) => ({ page, before: status, after: now(page) }));
}
