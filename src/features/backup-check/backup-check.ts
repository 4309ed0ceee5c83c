import { inTransaction } from '#core/db/database.ts';
import { LockBusy } from '#core/db/locks.ts';
import { eachOf } from '#core/each-of.ts';
import type { Services } from '#core/services.ts';
import { everyHost } from '#features/backup/backup.ts';
import { backUp } from '#features/backup-clock/backup-clock.ts';
import { findSiteById, recordSiteEvent, type SiteRow } from '#features/instance/instance.ts';
import type { Place } from '#host/site-host.ts';
import type { CheckBudget, CheckedSnapshots } from '#timemachine/process/protocol.ts';
import { mailDamage } from './backup-check.mail.ts';
import { damageOf, findDueCheck, listUnseen, noteSeen, noteTurn } from './backup-check.sql.ts';

/** Every stored byte is read once a week, so that a disk that rots is found before somebody needs what was on it. */
const EVERY_HOURS = 7 * 24;
/** Of a turn; there is one every ten minutes while a check is under way. */
const BUDGET: CheckBudget = { bytes: 2 * 1024 ** 3, ms: 120_000 };
const LOGGED_FAULTS = 50;

/** One turn on each host that a check is due on. A turn that is broken off comes again, and finds the same. */
export async function checkTurns(services: Services, budget = BUDGET, everyHours = EVERY_HOURS): Promise<void> {
  await eachOf(await everyHost(services), async (place) => {
    const turn = () => checkTurn(services, place, budget, everyHours);
    await services.locks.alone(`check of the backups on ${place.host}`, 0, turn).catch((error) => {
      // Another process is at it.
      if (!(error instanceof LockBusy)) throw error;
    });
  });
}

async function checkTurn(services: Services, at: Place, budget: CheckBudget, everyHours: number): Promise<void> {
  const { db, hosts, log } = services;
  const due = await findDueCheck(db, at.host, everyHours);
  if (!due) return;
  const { faults, bytes, sites, next } = await hosts.check(at, due.place, budget);
  for (const fault of faults.slice(0, LOGGED_FAULTS)) log.error({ fault, host: at.host }, 'a backup is damaged');
  for (const part of sites) await noteSite(services, part);
  await noteTurn(db, at.host, next, faults.length);
  log.info({ bytes, faults: faults.length, host: at.host, isDone: next === null }, 'checked the backups');
}

/**
 * What can not be restored is not offered. First it is tried to mend it: a backup that is taken now writes anew what the site still
 * has of it. Of what is left then its people are told.
 */
async function noteSite(services: Services, part: CheckedSnapshots): Promise<void> {
  const site = await findSiteById(services.db, part.site);
  if (!site) return;
  const found = await note(services, site, part);
  if (found === 0) return;
  await backUp(services, site.id);
  await note(services, site, await services.hosts.checkSite(site, part.space));
  await tell(services, site);
}

async function note({ db, hosts }: Services, site: SiteRow, part: CheckedSnapshots): Promise<number> {
  const unseen = await listUnseen(db, part);
  // Taken since, or gone without a trace.
  const kept = new Set(unseen.length > 0 ? await hosts.keptSnapshots(site, part.space) : []);
  const gone = unseen.filter((hash) => !kept.has(hash));
  return noteSeen(db, part, [...part.damaged, ...gone]);
}

async function tell({ db, jobs, log }: Services, site: SiteRow): Promise<void> {
  await inTransaction(db, async (tx) => {
    const damage = await damageOf(tx, site);
    if (!damage || damage.count === 0) return;
    const { count, oldest, newest, sound, owner_id } = damage;
    log.error({ siteId: site.id, count, oldest, newest, sound }, 'restore points can not be restored');
    const description = `${count} restore points of the site, from ${oldest.toISOString()} to ${newest.toISOString()}, were damaged where they are stored and are not offered any more. ${
      sound ? `The newest that can be restored is of ${sound.toISOString()}.` : 'No other is left.'
    }`;
    await recordSiteEvent(tx, null, site, {
      event_type: 'backup.damaged',
      activity: `Restore points of ${site.fqdn} were damaged`,
      description,
      detail: { count, oldest, newest, newest_sound: sound },
    });
    await jobs.enqueue(tx, mailDamage, { userId: owner_id, siteId: site.id, fqdn: site.fqdn, description });
  });
}
