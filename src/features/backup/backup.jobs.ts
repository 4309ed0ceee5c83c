import { eachOf } from '#core/each-of.ts';
import { jobKind } from '#core/jobs/jobs.ts';
import type { Services } from '#core/services.ts';
import { PLANS } from '#features/plan/plan.ts';
import type { Place } from '#host/site-host.ts';
import {
  deleteForgottenBackups,
  hasBackupBefore,
  listDamagedHashes,
  listHosts,
  listNeededHashes,
  listPlans,
  notePrune,
} from './backup.sql.ts';
import { databaseTime } from './backup-clock.sql.ts';

export const pruneBackups = jobKind<Record<string, never>>({
  name: 'backup.prune',
  lane: 'background',
  schedule: '13 3 * * *',
  removesByAge: true,
  // A machine whose own clock is ahead must not take for old what is not.
  run: async (_payload, { services }) =>
    prune(services, Math.min(Date.now(), (await databaseTime(services.db)).getTime())),
});

/** A turn of the check is short, but what it found is mended at once. */
const CHECK_WAIT_MS = 15 * 60_000;

/** Neither a prune nor a check of a host's backups runs while the other one does: what is being thinned is not lost. */
export function aloneOnBackups<T>({ locks }: Services, { host }: Place, waitMs: number, work: () => Promise<T>) {
  return locks.alone(`check of the backups on ${host}`, waitMs, work);
}

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
    damaged: await listDamagedHashes(db),
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
  const pruneHost = async (place: Place) => {
    try {
      const { troubles, ...done } = await hosts.prune(place, wish);
      for (const trouble of troubles) log.error({ ...trouble, host: place.host }, 'a prune met what it could not read');
      await notePrune(db, place.host, troubles.length);
      log.info({ ...done, troubles: troubles.length, host: place.host }, 'pruned the backups');
    } finally {
      // Also where it came only half the way.
      await forgetPruned(place);
    }
  };
  await eachOf(await everyHost(services), (place) =>
    aloneOnBackups(services, place, CHECK_WAIT_MS, () => pruneHost(place)),
  );
}

/** Also the one that new sites would go to: what is left of the last site there takes up room too. */
export async function everyHost({ config, db }: Services): Promise<Place[]> {
  const { newSites } = config;
  const others = (await listHosts(db)).filter(({ host }) => host !== newSites.host);
  return [newSites, ...others];
}
