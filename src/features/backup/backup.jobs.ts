import { eachOf } from '#core/each-of.ts';
import { jobKind } from '#core/jobs/jobs.ts';
import type { Services } from '#core/services.ts';
import { PLANS } from '#features/plan/plan.ts';
import type { Place } from '#host/site-host.ts';
import {
  deleteForgottenBackups,
  hasBackupBefore,
  listHosts,
  listNeededHashes,
  listPlans,
  notePrune,
} from './backup.sql.ts';

export const pruneBackups = jobKind<Record<string, never>>({
  name: 'backup.prune',
  lane: 'background',
  schedule: '13 3 * * *',
  run: (_payload, { services }) => prune(services, Date.now()),
});

/** Once a day: what is past its plan's window is thinned to one a day, then to nothing, and the space is freed. */
export async function prune(services: Services, nowMs: number): Promise<void> {
  const { db, hosts, log } = services;
  const windows = (await listPlans(db)).map(({ site_id, host, driver, space, plan_type_name }) => {
    return {
      site: { id: site_id, host, driver },
      space,
      windowMs: PLANS[plan_type_name].restore_window_hours * 3_600_000,
    };
  });
  const wish = {
    windowsMs: Object.fromEntries(windows.map(({ site, windowMs }) => [site.id, windowMs])),
    pinned: await listNeededHashes(db),
    nowMs,
  };
  // The records follow what the store still has.
  const forgetPruned = async ({ host }: Place) => {
    for (const { site, space, windowMs } of windows) {
      const before = new Date(nowMs - windowMs);
      if (site.host !== host || !(await hasBackupBefore(db, site.id, before))) continue;
      await deleteForgottenBackups(db, site.id, before, await hosts.keptSnapshots(site, space));
    }
  };
  await eachOf(await everyHost(services), async (place) => {
    const report = await hosts.prune(place, wish);
    const { troubles, ...done } = report;
    for (const trouble of troubles) log.error({ ...trouble, host: place.host }, 'a prune met what it could not read');
    await notePrune(db, place.host, troubles.length);
    log.info({ ...done, troubles: troubles.length, host: place.host }, 'pruned the backups');
    await forgetPruned(place);
  });
}

/** Also the one that new sites would go to: what is left of the last site there takes up room too. */
export async function everyHost({ config, db }: Services): Promise<Place[]> {
  const { newSites } = config;
  const others = (await listHosts(db)).filter(({ host }) => host !== newSites.host);
  return [newSites, ...others];
}
