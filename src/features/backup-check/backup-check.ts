import { type Db, inTransaction } from '#core/db/database.ts';
import { LockBusy } from '#core/db/locks.ts';
import { eachOf } from '#core/each-of.ts';
import type { Services } from '#core/services.ts';
import { aloneOnBackups, everyHost, findClock, postpone } from '#features/backup/backup.ts';
import { backUp } from '#features/backup-clock/backup-clock.ts';
import { findSiteById, recordSiteEvent, type SiteRow } from '#features/instance/instance.ts';
import type { Place } from '#host/site-host.ts';
import type { CheckBudget, CheckedSnapshots } from '#timemachine/process/protocol.ts';
import { mailDamage } from './backup-check.mail.ts';
import {
  type Damaged,
  damageOf,
  findDueCheck,
  listUnseen,
  listUntold,
  noteSeen,
  noteTold,
  noteTurn,
} from './backup-check.sql.ts';

/** Every stored byte is read once a week, so that a disk that rots is found before somebody needs what was on it. */
const EVERY_HOURS = 7 * 24;
/** Of a turn; there is one every ten minutes while a check is under way. */
const BUDGET: CheckBudget = { bytes: 2 * 1024 ** 3, ms: 120_000 };
/** One that takes longer than it should has so many turns each time. */
const TURNS_BEHIND = 4;
const LOGGED_FAULTS = 50;
/** All of the site is read, beside the others. */
const MEND_MS = 120_000;
/** One that takes longer gets its turns from the clock; so long nobody is told of what may be whole again by then. */
const MEND_HOURS = 3;

/** One turn on each host that a check is due on. A turn that is broken off comes again, and finds the same. */
export async function checkTurns(services: Services, budget = BUDGET, everyHours = EVERY_HOURS): Promise<void> {
  await eachOf(await everyHost(services), async (place) => {
    const turn = () => checkTurn(services, place, budget, everyHours);
    await aloneOnBackups(services, place, 0, turn).catch((error) => {
      // Another process is at it, or a prune.
      if (!(error instanceof LockBusy)) throw error;
    });
  });
}

async function checkTurn(services: Services, at: Place, budget: CheckBudget, everyHours: number): Promise<void> {
  const { db, hosts, log } = services;
  for (let turn = 0; turn < TURNS_BEHIND; turn++) {
    const due = await findDueCheck(db, at.host, everyHours);
    if (!due) break;
    const { faults, bytes, sites, next } = await hosts.check(at, due.place, budget);
    for (const fault of faults.slice(0, LOGGED_FAULTS)) log.error({ fault, host: at.host }, 'a backup is damaged');
    for (const part of sites) await noteSite(services, part);
    await noteTurn(db, at.host, next, faults.length);
    log.info({ bytes, faults: faults.length, host: at.host, isDone: next === null }, 'checked the backups');
    const isBehind = due.begun_at.getTime() < Date.now() - EVERY_HOURS * 3_600_000;
    if (next === null || !isBehind) break;
  }
  for (const damaged of await listUntold(db, at.host, MEND_HOURS))
    await mend(services, damaged).catch((error) => log.warn({ err: error, ...damaged }, 'damage could not be mended'));
}

/** What can not be restored is not offered. */
async function noteSite(services: Services, part: CheckedSnapshots): Promise<void> {
  const site = await findSiteById(services.db, part.site);
  if (site) await note(services, site, part);
}

/**
 * A backup that is taken now writes anew what the site still has of what is damaged; of what is left then its people are told. Where
 * none could be taken the next turn looks again.
 */
async function mend(services: Services, { site_id, space, is_overdue }: Damaged): Promise<void> {
  const { db, hosts } = services;
  const site = await findSiteById(db, site_id);
  if (!site) return;
  if (!is_overdue && !(await isKeptSince(db, site_id))) {
    await backUp(services, site_id, MEND_MS);
    if (!(await isKeptSince(db, site_id))) return postpone(db, site_id);
  }
  await note(services, site, await hosts.checkSite(site, space));
  await tell(services, site);
}

async function isKeptSince(db: Db, siteId: string): Promise<boolean> {
  const { cut_at, damage_found_at } = (await findClock(db, siteId)) ?? {};
  return Boolean(cut_at && damage_found_at && cut_at >= damage_found_at);
}

async function note({ db, hosts }: Services, site: SiteRow, part: CheckedSnapshots): Promise<void> {
  const unseen = await listUnseen(db, part);
  // Taken since, or gone without a trace.
  const kept = new Set(unseen.length > 0 ? await hosts.keptSnapshots(site, part.space) : []);
  const gone = unseen.filter((hash) => !kept.has(hash));
  await inTransaction(db, (tx) => noteSeen(tx, part, [...part.damaged, ...gone]));
}

async function tell({ db, jobs, log }: Services, site: SiteRow): Promise<void> {
  await inTransaction(db, async (tx) => {
    await noteTold(tx, site.id);
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
