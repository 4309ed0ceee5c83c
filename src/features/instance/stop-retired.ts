import type { Services } from '#core/services.ts';
import type { RouteSource, RouteState } from '#edge/route.ts';

const SERVED: ReadonlySet<RouteState> = new Set(['ready', 'creating', 'held']);

/**
 * Ends the processes of a site that sleeps, is suspended or is gone. Whoever put it to sleep may be another process of the
 * platform than the one that runs it. What some work has to itself was ended by then (watch-holds.ts).
 */
export async function stopRetiredSites(
  { log }: Pick<Services, 'log'>,
  host: NonNullable<Services['localHost']>,
  routes: Pick<RouteSource, 'load' | 'subscribe'>,
): Promise<undefined> {
  let changed = new Set<string>();
  const stopRetired = async () => {
    const siteIds = [...changed];
    changed = new Set();
    const known = await routes.load(siteIds);
    const served = new Set(known.filter(({ state }) => SERVED.has(state)).map(({ site }) => site.id));
    // Also one whose processes are only starting.
    await Promise.all(siteIds.filter((siteId) => !served.has(siteId)).map((siteId) => host.stopHere(siteId)));
  };
  await routes.subscribe((siteId) => {
    if (siteId === undefined) return;
    // A team with many sites changes all of them at once.
    if (changed.size === 0)
      setImmediate(() => stopRetired().catch((error) => log.warn({ err: error }, 'could not stop sites')));
    changed.add(siteId);
  });
}
