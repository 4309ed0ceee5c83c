import { jobKind } from '#core/jobs/jobs.ts';
import type { Services } from '#core/services.ts';
import { PLANS } from '#features/plan/plan.ts';
import { deleteForgottenBackups, hasBackupBefore, listNeededHashes, listPlans } from './backup.sql.ts';

export const pruneBackups = jobKind<Record<string, never>>({
  name: 'backup.prune',
  lane: 'background',
  schedule: '13 3 * * *',
  run: (_payload, { services }) => prune(services, Date.now()),
});

/** Once a week every stored byte is read, so that a disk that rots is found before somebody needs what was on it. */
export const checkBackups = jobKind<Record<string, never>>({
  name: 'backup.check',
  lane: 'background',
  schedule: '23 4 * * 0',
  async run(_payload, { services: { timeMachine, log } }) {
    const { faults, bytes } = await timeMachine.check();
    for (const fault of faults) log.error({ fault }, 'a backup is damaged');
    log.info({ bytes, faults: faults.length }, 'checked the backups');
  },
});

/** Once a day: what is past its plan's window is thinned to one a day, then to nothing, and the space is freed. */
export async function prune({ db, timeMachine, log }: Services, nowMs: number): Promise<void> {
  const windows = (await listPlans(db)).map(({ site_id, space, plan_type_name }) => {
    return { siteId: site_id, space, windowMs: PLANS[plan_type_name].restore_window_hours * 3_600_000 };
  });
  const report = await timeMachine.prune({
    windowsMs: Object.fromEntries(windows.map(({ siteId, windowMs }) => [siteId, windowMs])),
    pinned: await listNeededHashes(db),
    nowMs,
  });
  // The records follow what the store still has.
  for (const { siteId, space, windowMs } of windows) {
    const before = new Date(nowMs - windowMs);
    if (!(await hasBackupBefore(db, siteId, before))) continue;
    const kept = await timeMachine.repository.site(space, siteId).snapshots();
    const hashes = kept.map(({ hash }) => hash);
    await deleteForgottenBackups(db, siteId, before, hashes);
  }
  log.info(report, 'pruned the backups');
}
