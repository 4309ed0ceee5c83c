import type { Call } from '#core/http/operation.ts';
import { requireIdle } from '#features/hold/hold.ts';
import { lockNamedSite, recordSiteEvent, type SiteRow, stopSite, updateSite } from '#features/instance/instance.ts';
import type { Site } from './site.schema.ts';
import { completeSite } from './site.view.ts';

/** Puts a site to sleep: it is marked now and its processes end with the job; the next visit wakes it. */
export async function sleepSite(call: Call, named: SiteRow): Promise<Site> {
  const { db, services, caller } = call;
  const site = await lockNamedSite(db, named);
  requireIdle(site);
  if (site.is_sleeping) return completeSite(db, services, caller, site);
  const eventId = await recordSiteEvent(db, caller, site, {
    event_type: 'site.slept',
    activity: `${caller.fullName} put ${site.fqdn} to sleep`,
    unfinished: true,
  });
  await services.jobs.enqueue(db, stopSite, { siteId: site.id, eventId }, site.id);
  call.headers['operation-id'] = eventId;
  const row = await updateSite(db, site.id, { is_sleeping: true });
  return completeSite(db, services, caller, row ?? site);
}
