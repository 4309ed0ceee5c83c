import { type Db, inTransaction } from '#core/db/database.ts';
import { type JobKind, jobKind } from '#core/jobs/jobs.ts';
import type { Services } from '#core/services.ts';
import {
  findSiteById,
  lockSite,
  markStorageStale,
  recordSiteEvent,
  type SiteRow,
  siteRoutes,
  stopSite,
  updateSite,
} from '#features/instance/instance.ts';
import { deliverSiteMail, takeWaitingMail } from '#features/site-mail/site-mail.ts';
import { addStorage, lockTeam } from '#features/team/team.ts';
import { requestSite } from '#runtimes/request.ts';
import { uploadHeaders } from '#runtimes/wordpress/access.ts';
import { keepCronDue, type SleepReason, takeDueCron, takeIdleSites, takeSitesToMeasure } from './site-upkeep.sql.ts';

/**
 * What sites need without anybody asking. Once a minute a planner takes what is due, in one statement each, and leaves
 * the work to jobs; nothing here runs per site unless there is something to do.
 */
type Nothing = Record<string, never>;
type OfSite = { siteId: string };

const AT_ONCE = 200;
const CRON_TIMEOUT_MS = 60_000;
/** Without a value: WordPress takes one for a lock that somebody else has set, finds none, and does nothing. */
const CRON_PATH = '/wp-cron.php?doing_wp_cron';

export const planSiteWork = jobKind<Nothing>({
  name: 'site.plan',
  lane: 'background',
  schedule: '* * * * *',
  async run(_payload, { services }) {
    await plan(services, takeIdle);
    await plan(services, takeCron);
    await plan(services, (tx) => enqueueEach(services, tx, measureStorage, takeSitesToMeasure));
    await plan(services, (tx) => enqueueEach(services, tx, deliverSiteMail, takeWaitingMail));
  },
});

/** What was taken and the jobs for it are one transaction, so nothing is taken and then forgotten. */
const plan = (services: Services, take: (tx: Db, services: Services) => Promise<void>) =>
  inTransaction(services.db, (tx) => take(tx, services));

async function enqueueEach(
  { jobs }: Services,
  tx: Db,
  kind: JobKind<OfSite>,
  take: (db: Db, limit: number) => Promise<string[]>,
): Promise<void> {
  for (const siteId of await take(tx, AT_ONCE)) await jobs.enqueueOnce(tx, kind, { siteId }, siteId);
}

/** Each at its own moment, and not up to a minute after it: that is when a scheduled post appears. */
async function takeCron(tx: Db, { jobs }: Services): Promise<void> {
  for (const { id, dueAt } of await takeDueCron(tx, AT_ONCE))
    await jobs.enqueueOnce(tx, runSiteCron, { siteId: id }, id, dueAt);
}

const SLEEP_REASONS: Record<SleepReason, string> = {
  suspended: 'its team is suspended',
  expired: 'its team is unpaid',
  idle: 'nobody visited it for a while',
};

async function takeIdle(tx: Db, { jobs }: Services): Promise<void> {
  for (const site of await takeIdleSites(tx, AT_ONCE)) {
    const activity = `${site.fqdn} fell asleep: ${SLEEP_REASONS[site.reason]}`;
    const eventId = await recordSiteEvent(tx, null, site, { event_type: 'site.slept', activity, unfinished: true });
    await jobs.enqueue(tx, stopSite, { siteId: site.id, eventId }, site.id);
  }
}

/**
 * WordPress' scheduled work. A sleeping site is woken for it and sleeps on afterwards. What it mailed, or what stayed in
 * the outbox because nobody heard of it, is sent after it.
 */
export const runSiteCron = jobKind<OfSite>({
  name: 'site.cron',
  lane: 'upkeep',
  async run({ siteId }, { services }) {
    const { db, hosts, log } = services;
    const [route] = await siteRoutes(services).load([siteId]);
    // Some work has taken the site since the turn was planned, or its team is suspended.
    if (route?.state !== 'ready' && route?.state !== 'asleep') return keepCronDue(db, siteId);
    try {
      await requestSite(hosts, route.site, {
        method: 'GET',
        path: CRON_PATH,
        headers: uploadHeaders(route.uploadsRefused),
        timeoutMs: CRON_TIMEOUT_MS,
      });
    } catch (error) {
      // The site's own failing, most likely, and its next turn comes by itself: no reason to try again at once.
      log.info({ err: error, siteId }, 'the scheduled work of a site failed');
    }
    await markStorageStale(db, siteId);
    if ((await findSiteById(db, siteId))?.is_sleeping) await hosts.stop(route.site);
    if (await hosts.hasOutgoingMail(route.site))
      await services.jobs.enqueueOnce(db, deliverSiteMail, { siteId }, siteId);
  },
});

export const measureStorage = jobKind<OfSite>({
  name: 'site.measure',
  lane: 'upkeep',
  run: ({ siteId }, { services }) => measureSite(services, siteId),
});

export async function measureSite({ db, hosts }: Services, siteId: string): Promise<void> {
  const before = await findSiteById(db, siteId);
  if (!before || before.kind === 'preview') return;
  await noteStorage(db, before, await hosts.diskUsageBytes(before));
}

/** What an instance takes up, seen while it was its team's. */
export async function noteStorage(db: Services['db'], before: SiteRow, bytes: number): Promise<void> {
  if (before.kind === 'preview') return;
  const siteId = before.id;
  await inTransaction(db, async (tx) => {
    await lockTeam(tx, before.team_id);
    const site = await lockSite(tx, siteId);
    // Moved to another team meanwhile: it is measured there.
    if (site?.team_id !== before.team_id) return;
    await updateSite(tx, siteId, { storage_bytes: bytes });
    await addStorage(tx, site.team_id, bytes - site.storage_bytes);
  });
}
