import type { Call } from '#core/http/operation.ts';
import { jobKind } from '#core/jobs/jobs.ts';
import { requireIdle } from '#features/hold/hold.ts';
import {
  announcePurge,
  findSiteById,
  lockNamedSite,
  markAwake,
  recordSiteEvent,
  type SiteRow,
  siteRoutes,
} from '#features/instance/instance.ts';
import { lockWorkingTeam } from '#features/team/team.ts';
import type { Site } from './site.schema.ts';
import { completeSite } from './site.view.ts';

/** Starts what the next visitor would wait for. Where that fails, a visit finds out and says so. */
export const startSite = jobKind<{ siteId: string }>({
  name: 'site.start',
  lane: 'upkeep',
  async run({ siteId }, { services }) {
    const [route] = await siteRoutes(services).load([siteId]);
    if (route?.state !== 'ready') return;
    await services.hosts
      .start(route.site)
      .catch((error) => services.log.info({ err: error, siteId }, 'a site that was woken did not start'));
  },
});

/** Wakes a site that sleeps: it is marked now, and its processes start with the job. */
export async function wakeSite({ db, services, caller }: Call, named: SiteRow): Promise<Site> {
  await lockWorkingTeam(db, named.team_id);
  const site = await lockNamedSite(db, named);
  requireIdle(site);
  if (await markAwake(db, site.id)) {
    await recordSiteEvent(db, caller, site, {
      event_type: 'site.woke',
      activity: `${caller.fullName} woke ${site.fqdn}`,
    });
    await services.jobs.enqueue(db, startSite, { siteId: site.id }, site.id);
  }
  return completeSite(db, services, caller, (await findSiteById(db, site.id)) ?? site);
}

/** Every edge drops the pages that it keeps of the site; the next visitor of each gets it from WordPress. */
export async function clearSiteCache({ db, services, caller }: Call, named: SiteRow): Promise<Site> {
  const site = await lockNamedSite(db, named);
  await announcePurge(db, site.id);
  await recordSiteEvent(db, caller, site, {
    event_type: 'site.cache_cleared',
    activity: `${caller.fullName} cleared the cache of ${site.fqdn}`,
  });
  return completeSite(db, services, caller, site);
}
