import type { Services } from '#core/services.ts';
import type { RouteSource, RouteState } from '#edge/route.ts';

const SERVED: ReadonlySet<RouteState | undefined> = new Set(['ready', 'creating', 'held']);

/**
 * Ends the processes of a site that sleeps, is suspended or is gone. Whoever put it to sleep may be another process of the
 * platform than the one that runs it. What some work has to itself was ended by then (watch-holds.ts).
 */
export async function stopRetiredSites(
  { log }: Pick<Services, 'log'>,
  host: NonNullable<Services['localHost']>,
  routes: Pick<RouteSource, 'load' | 'subscribe'>,
): Promise<undefined> {
  const stopIfRetired = async (siteId: string) => {
    const [route] = await routes.load(siteId);
    // Also one whose processes are only starting.
    if (!SERVED.has(route?.state)) await host.stopHere(siteId);
  };
  await routes.subscribe((siteId) => {
    if (siteId === undefined) return;
    stopIfRetired(siteId).catch((error) => log.warn({ err: error, siteId }, 'could not stop a site'));
  });
}
