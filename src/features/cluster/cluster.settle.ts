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

/** So long the backup may take that is due, or that somebody else is at. */
const KEEP_MS = 60_000;
const LOOK_MS = 200;
/** Of what is told of the backups: it is for people who look at them later. */
const TELL_MS = 20_000;

/**
 * Does what is due of a site while its pod is there, which would have to be woken for it within the minute: its last minute is kept, in the
 * store and not on its disk alone, and told. False where that can not be done soon, or where somebody came meanwhile: then the pod stays, and
 * the upkeep lets it sleep when it is idle. A work that has the site sees to all that itself.
 */
export async function settle(services: Services, { host, siteId }: SiteOnCluster): Promise<boolean> {
  const { db, hosts, log } = services;
  const site = await findSiteById(db, siteId);
  if (!site || site.host !== host || !goesOn(site.busy)) return true;
  const all = await listOnHost(db, host);
  try {
    for (const id of all) if (!(await keep(services, id))) return false;
    await hosts.sendKept(site);
    await findMoments(services, Date.now() + TELL_MS, { only: all });
    // Its scheduled work may have begun in these seconds.
    for (const id of all) if (await isDue(services, id)) return false;
  } catch (error) {
    log.warn({ err: error, siteId }, 'the pod of a site that sleeps is left running for what is due of it');
    return false;
  }
  return (await findSiteById(db, siteId))?.is_sleeping !== false;
}

/** False where it took too long. */
async function keep(services: Services, siteId: string): Promise<boolean> {
  for (const deadline = performance.now() + KEEP_MS; performance.now() < deadline; await sleep(LOOK_MS)) {
    if (!(await isDue(services, siteId))) return true;
    await backUp(services, siteId);
  }
  return false;
}

/** What failed is tried again in its own time, and what is to come later comes later. */
async function isDue({ db }: Services, siteId: string): Promise<boolean> {
  const clock = await findClock(db, siteId);
  if (!clock || clock.due_at === null || clock.failures > 0) return false;
  return clock.not_before === null || clock.not_before <= new Date();
}
