import { setTimeout as sleep } from 'node:timers/promises';
import type { Services } from '#core/services.ts';
import { findClock } from '#features/backup/backup.ts';
import { backUp } from '#features/backup-clock/backup-clock.ts';
import { goesOn } from '#features/hold/hold.ts';
import { findSiteById } from '#features/instance/instance.ts';
import { findMoments } from '#features/moment/moment.ts';
import { listOnHost } from './cluster.sql.ts';

export interface SiteOnCluster {
  host: string;
  siteId: string;
}

/** So long it may take until nothing is due: backups, that somebody else is at one, and work of the site's own that comes meanwhile. */
const KEEP_MS = 60_000;
const LOOK_MS = 200;
/** Of what is told of the backups: it is for people who look at them later. */
const TELL_MS = 20_000;

/**
 * Does what is due of a site while its pod is there, which would have to be woken for it within the minute: its last minute is kept, in the
 * store and not on its disk alone, and told. Scheduled work may begin in these seconds, since it is done for sites that sleep, too: what it
 * changes is kept like the rest. False where that can not be done soon, or where somebody came meanwhile: then the pod stays, and the upkeep
 * lets it sleep when it is idle. A work that has the site sees to all that itself. `end` ends what runs of the site, and is over when that is noted.
 */
export async function settle(
  services: Services,
  { host, siteId }: SiteOnCluster,
  end: () => Promise<void>,
): Promise<boolean> {
  const { db, hosts, log } = services;
  const site = await findSiteById(db, siteId);
  if (!site || site.host !== host || !goesOn(site.busy)) return true;
  const all = await listOnHost(db, host);
  try {
    const deadline = performance.now() + KEEP_MS;
    for (let due = all; ; ) {
      for (const id of due) if (!(await keep(services, id, deadline))) return false;
      await hosts.sendKept(site);
      await findMoments(services, Date.now() + TELL_MS, { only: all });
      // Somebody may have woken it, and goes on.
      if ((await findSiteById(db, siteId))?.is_sleeping === false) return false;
      due = await whichAreDue(services, all);
      if (due.length > 0) continue;
      // What ran in the last seconds is not written down before: nothing may be due because its pod ends.
      await end();
      due = await whichAreDue(services, all);
      if (due.length === 0) break;
    }
  } catch (error) {
    log.warn({ err: error, siteId }, 'the pod of a site that sleeps is left running for what is due of it');
    return false;
  }
  return (await findSiteById(db, siteId))?.is_sleeping !== false;
}

/** False where it took too long. */
async function keep(services: Services, siteId: string, deadline: number): Promise<boolean> {
  for (; performance.now() < deadline; await sleep(LOOK_MS)) {
    if (!(await isDue(services, siteId))) return true;
    await backUp(services, siteId);
  }
  return false;
}

async function whichAreDue(services: Services, siteIds: readonly string[]): Promise<string[]> {
  const due: string[] = [];
  for (const id of siteIds) if (await isDue(services, id)) due.push(id);
  return due;
}

/** What failed is tried again in its own time, and what is to come later comes later. */
async function isDue({ db }: Services, siteId: string): Promise<boolean> {
  const clock = await findClock(db, siteId);
  if (!clock || clock.due_at === null || clock.failures > 0) return false;
  return clock.not_before === null || clock.not_before <= new Date();
}
