import { setTimeout as sleep } from 'node:timers/promises';
import type { Services } from '#core/services.ts';
import type { Route, RouteState } from '#edge/route.ts';
import { siteBusy } from '#features/hold/hold.ts';
import { teamExpired, teamSuspended } from '#features/team/team.schema.ts';
import type { HostedSpec } from '#host/site-host.ts';
import { requestSite, type SiteAnswer, type SiteRequest } from '#runtimes/request.ts';
import { type RunningSite, SiteFailure } from '#runtimes/runtime.ts';
import { signRequest, uploadHeaders } from '#runtimes/wordpress/access.ts';
import { siteReports } from './edge-reports.ts';
import { siteRoutes } from './edge-routes.ts';
import { siteNotFound } from './instance.schema.ts';
import { markStorageStale } from './instance.sql.ts';

const RELEASE_LOOK_MS = 100;
const RELEASE_TRIES = 50;

/**
 * Asks a site's WordPress as its first administrator, with the platform's signature, and wakes it where it sleeps. Not for
 * a transaction: it takes as long as the site takes.
 */
export async function callSite(services: Services, siteId: string, request: SiteRequest): Promise<SiteAnswer> {
  const { site, state, uploadsRefused } = requireOpen(await findRoute(services, siteId));
  // Marked first: what is marked as sleeping is stopped.
  if (state === 'asleep') await siteReports(services).woke(siteId);
  const headers = {
    ...request.headers,
    ...uploadHeaders(uploadsRefused),
    ...signRequest(site, request),
    'x-siteyard-as-administrator': '1',
  };
  const start = async () => {
    const running = await startReleased(services, site);
    // Some work may have taken the site meanwhile. It waits for what was begun before, and not for what begins now.
    requireOpen(await findRoute(services, siteId));
    return running;
  };
  try {
    return await requestSite({ start }, site, { ...request, headers });
  } catch (error) {
    if (error instanceof SiteFailure && error.reason === 'stopped') requireOpen(await findRoute(services, siteId));
    throw error;
  } finally {
    // No edge counts this request, and it may have added or removed files.
    await markStorageStale(services.db, siteId);
  }
}

/** Asks a site as any visitor would, past the edge, also while the work that has it lets nobody else in. */
export async function visitSite(services: Services, siteId: string, request: SiteRequest): Promise<SiteAnswer> {
  const { site, uploadsRefused } = requireOpen(await findRoute(services, siteId), 'held');
  const start = () => startReleased(services, site, 'held');
  return requestSite({ start }, site, {
    ...request,
    headers: { ...request.headers, ...uploadHeaders(uploadsRefused) },
  });
}

/** A work that has just given the site back is over for the database a moment before it is for the host. */
async function startReleased(services: Services, site: HostedSpec, also?: RouteState): Promise<RunningSite> {
  for (let tries = 1; ; tries++) {
    try {
      return await services.hosts.start(site);
    } catch (error) {
      const isFenced = error instanceof SiteFailure && error.reason === 'stopped';
      if (!isFenced || tries >= RELEASE_TRIES) throw error;
      requireOpen(await findRoute(services, site.id), also);
      await sleep(RELEASE_LOOK_MS);
    }
  }
}

async function findRoute(services: Services, siteId: string): Promise<Route | undefined> {
  return (await siteRoutes(services).load([siteId]))[0];
}

const isOpen = ({ state }: Route) => state === 'ready' || state === 'asleep';

function requireOpen(route: Route | undefined, also?: RouteState): Route {
  if (!route) throw siteNotFound();
  if (route.state === 'suspended') throw teamSuspended();
  if (route.state === 'expired') throw teamExpired();
  if (!isOpen(route) && route.state !== also)
    throw siteBusy({ message: 'The site is busy; try again when that is done.' });
  return route;
}
