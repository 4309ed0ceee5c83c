import type { Services } from '#core/services.ts';
import { requestSite, type SiteAnswer, type SiteRequest } from '#runtimes/request.ts';
import { signRequest } from '#runtimes/wordpress/access.ts';
import { siteReports, siteRoutes } from './site.edge.ts';
import { siteBusy, siteNotFound, teamExpired, teamSuspended } from './site.schema.ts';

/**
 * Asks a site's WordPress as its first administrator, with the platform's signature, and wakes it where it sleeps. Not for
 * a transaction: it takes as long as the site takes.
 */
export async function callSite(services: Services, siteId: string, request: SiteRequest): Promise<SiteAnswer> {
  const [route] = await siteRoutes(services).load(siteId);
  if (!route) throw siteNotFound();
  if (route.state === 'suspended') throw teamSuspended();
  if (route.state === 'expired') throw teamExpired();
  if (route.state === 'creating' || route.state === 'held')
    throw siteBusy({ message: 'The site is busy; try again when that is done.' });
  // Marked first: what is marked as sleeping is stopped.
  if (route.state === 'asleep') await siteReports(services).woke(siteId);
  const headers = { ...request.headers, ...signRequest(route.site, request), 'x-siteyard-as-administrator': '1' };
  return requestSite(services.runtime, route.site, { ...request, headers });
}
