import { eachOf } from '#core/each-of.ts';
import { jobKind } from '#core/jobs/jobs.ts';
import type { Services } from '#core/services.ts';
import { PLANS } from '#features/plan/plan.ts';
import type { Place } from '#host/site-host.ts';
import { deleteForgottenBackups, hasBackupBefore, listHosts, listNeededHashes, listPlans } from './backup.sql.ts';
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

/** Once a week every stored byte is read, so that a disk that rots is found before somebody needs what was on it. */
export const checkBackups = jobKind<Record<string, never>>({
  name: 'backup.check',
  lane: 'background',
  schedule: '23 4 * * 0',
  async run(_payload, { services }) {
    const { hosts, log } = services;
    await eachOf(await everyHost(services), async (place) => {
      const { faults, bytes } = await hosts.check(place);
      for (const fault of faults) log.error({ fault, host: place.host }, 'a backup is damaged');
      log.info({ bytes, faults: faults.length, host: place.host }, 'checked the backups');
    });
  },
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
    log.info({ ...report, host: place.host }, 'pruned the backups');
    await forgetPruned(place);
  });
}

/** Also the one that new sites would go to: what is left of the last site there takes up room too. */
async function everyHost({ config, db }: Services): Promise<Place[]> {
  const { newSites } = config;
  const others = (await listHosts(db)).filter(({ host }) => host !== newSites.host);
  return [newSites, ...others];
}
