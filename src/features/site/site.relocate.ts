import { siteHostParts } from '#core/cluster.ts';
import { bodyFault, invalid } from '#core/errors.ts';
import { finishEvent } from '#core/events/events.ts';
import type { Call } from '#core/http/operation.ts';
import { jobKind } from '#core/jobs/jobs.ts';
import { spaceOf } from '#features/backup/backup.ts';
import { cutHeld } from '#features/backup-clock/backup-clock.ts';
import { type HeldWork, hold, onHeldSite, release } from '#features/hold/hold.ts';
import {
  findOwn,
  findStage,
  nothing,
  recordSiteEvent,
  type SiteRow,
  specOf,
  updateSite,
} from '#features/instance/instance.ts';
import { holdRegion, listRegions, placeInRegion } from '#features/region/region.ts';
import { moveStaged } from './site.schema.ts';

interface Relocation extends HeldWork {
  regionId: number;
  host: string;
}

const NO_CLUSTER = 'Value error, a site moves between regions that are clusters, and one of these is none';

/** To the cluster of another region: what the time machine keeps of the site is where it comes from there. Visitors wait. */
export async function relocateSite(call: Call, site: SiteRow, regionName: string): Promise<void> {
  const { db, services, caller } = call;
  const region = (await listRegions(db)).find(({ name }) => name === regionName);
  if (!region || !(await holdRegion(db, region.id)))
    throw invalid(bodyFault('region_name', 'Value error, there is no region of this name'));
  const { host } = placeInRegion(services.config, region, site.id);
  if (!siteHostParts(host) || !siteHostParts(site.host)) throw invalid(bodyFault('region_name', NO_CLUSTER));
  if (await findStage(db, site.id)) throw moveStaged();
  const eventId = await recordSiteEvent(db, caller, site, {
    event_type: 'site.updated',
    activity: `${caller.fullName} moved ${site.fqdn} to ${region.city}`,
    detail: { region_name: region.name },
    unfinished: true,
  });
  await hold(db, [site.id], 'updating', eventId);
  const work = { siteId: site.id, eventId, regionId: region.id, host };
  await services.jobs.enqueue(db, relocateSiteJob, work, site.id);
  call.headers['operation-id'] = eventId;
}

export const relocateSiteJob = jobKind<Relocation>({
  name: 'site.relocate',
  lane: 'site',
  async run(payload, { services, commit, signal }) {
    const { siteId, eventId, regionId, host } = payload;
    const { hosts, log } = services;
    const site = await findOwn(services, payload);
    if (!site) return commit(nothing);
    const target = { ...site, host };
    if (host !== site.host)
      await onHeldSite(services, payload, async (held) => {
        // Both keep the site's backups in one place, which has one writer: an attempt before may have left the other one running.
        await hosts.stop(target);
        const moment = await cutHeld(services, site, AbortSignal.any([signal, held]));
        await hosts.sendKept(site);
        await hosts.stop(site);
        const space = await spaceOf(services.db, siteId);
        await hosts.make(specOf(services, target), { kind: 'cut', space, site: siteId, moment, keptBy: site.host });
      });
    await commit(async (tx) => {
      if (!(await release(tx, payload))) return;
      await updateSite(tx, siteId, { host, region_id: regionId });
      await finishEvent(tx, eventId, { result: { region_id: regionId } });
    });
    // Where this fails its cluster's upkeep finds a home that no site has.
    if (host !== site.host)
      await hosts.delete(site).catch((error) => log.warn({ err: error, siteId }, 'the home of before is still there'));
  },
  async undo(payload, services) {
    const site = await findOwn(services, payload);
    if (site && site.host !== payload.host) await services.hosts.delete({ ...site, host: payload.host });
  },
  async abandon(tx, payload) {
    await release(tx, payload);
    await finishEvent(tx, payload.eventId, { failure: 'The site could not be moved; it is where it was.' });
  },
});
