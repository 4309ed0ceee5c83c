import type { Call } from '#core/http/operation.ts';
import { requireIdle } from '#features/hold/hold.ts';
import {
  lockNamedSite,
  recordSiteEvent,
  type SiteRow,
  siteOrStage,
  stopSite,
  updateSite,
} from '#features/instance/instance.ts';
import type { Site } from './site.schema.ts';
import { completeSite } from './site.view.ts';

/** Puts a site to sleep: it is marked now and its processes end with the job; the next visit wakes it. */
export async function sleepSite(call: Call, named: SiteRow, isStage = false): Promise<Site> {
  const { db, services, caller } = call;
  const live = await lockNamedSite(db, named);
  const site = await siteOrStage(db, live, isStage);
  requireIdle(site);
  if (site.is_sleeping) return completeSite(db, services, caller, live);
  const eventId = await recordSiteEvent(db, caller, site, {
    event_type: 'site.slept',
    activity: `${caller.fullName} put ${site.fqdn} to sleep`,
    unfinished: true,
  });
  await services.jobs.enqueue(db, stopSite, { siteId: site.id, eventId }, site.id);
  call.headers['operation-id'] = eventId;
  const row = await updateSite(db, site.id, { is_sleeping: true });
  return completeSite(db, services, caller, isStage ? live : (row ?? live));
}
