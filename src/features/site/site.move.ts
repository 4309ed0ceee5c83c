import { bodyFault, invalid } from '#core/errors.ts';
import { finishEvent } from '#core/events/events.ts';
import type { Call } from '#core/http/operation.ts';
import { jobKind } from '#core/jobs/jobs.ts';
import { keptAs } from '#features/backup/backup.ts';
import { type HeldWork, hold, onHeldSite, release, requireIdle } from '#features/hold/hold.ts';
import {
  findOwn,
  findSiteById,
  findStage,
  lockNamedSite,
  nothing,
  recordSiteEvent,
  type SiteRow,
  updateSite,
} from '#features/instance/instance.ts';
import { addStorage, lockTeam, lockWorkingTeam } from '#features/team/team.ts';
import { failedBy } from '#timemachine/failure.ts';
import { relocateSite } from './site.relocate.ts';
import { moveStaged, type Site, type SiteMove } from './site.schema.ts';
import { completeSite } from './site.view.ts';

interface Move extends HeldWork {
  database: NonNullable<SiteMove['database']>;
}

const WORDS = { sqlite: 'SQLite', mariadb: 'MariaDB' };

/** To another kind of database or to another region, one at a time. */
export async function moveSite(call: Call, named: SiteRow, { database, region_name }: SiteMove): Promise<Site> {
  const { db, services, caller } = call;
  if ((database === undefined) === (region_name === undefined))
    throw invalid(bodyFault('database', 'Value error, say either database or region_name'));
  await lockWorkingTeam(db, named.team_id);
  const site = await lockNamedSite(db, named);
  requireIdle(site);
  if (region_name !== undefined) await relocateSite(call, site, region_name);
  if (database !== undefined) await moveRows(call, site, database);
  return completeSite(db, services, caller, (await findSiteById(db, site.id)) ?? site);
}

/** Visitors wait while its rows move. A site of another driver of this host comes to the one that new sites run on. */
async function moveRows(call: Call, site: SiteRow, database: Move['database']): Promise<void> {
  const { db, services, caller } = call;
  // Its staging site has a driver too, and both have to be alike.
  if (driverFor(services.config, site) !== site.driver && (await findStage(db, site.id))) throw moveStaged();
  const eventId = await recordSiteEvent(db, caller, site, {
    event_type: 'site.updated',
    activity: `${caller.fullName} moved the database of ${site.fqdn} to ${WORDS[database]}`,
    detail: { database },
    unfinished: true,
  });
  await hold(db, [site.id], 'updating', eventId);
  await services.jobs.enqueue(db, moveSiteJob, { siteId: site.id, eventId, database }, site.id);
  call.headers['operation-id'] = eventId;
}

export const moveSiteJob = jobKind<Move>({
  name: 'site.move',
  lane: 'site',
  async run(payload, { services, commit, signal }) {
    const { siteId, eventId, database } = payload;
    const { config, hosts } = services;
    const site = await findOwn(services, payload);
    if (!site) return commit(nothing);
    const target = { ...site, driver: driverFor(config, site) };
    const isOtherDriver = target.driver !== site.driver;
    const phpVersion = isOtherDriver ? (await hosts.prepared(target)).phpVersion : site.php_version;
    const place = { driver: target.driver, php_version: phpVersion };
    // First: what has a server runs sites with a file too, so that however this ends, the site is one that its driver can run.
    if (isOtherDriver && database === 'mariadb') await updateSite(services.db, siteId, place);
    const kept = await keptAs(services, site);
    const refused = await onHeldSite(services, payload, async (held) => {
      const move = hosts.moveRows(target, kept, database, { signal: AbortSignal.any([signal, held]) });
      return move.then(nothing, (error: unknown) => {
        // What does not fit, and a host that has no such server, stay so however often it is tried.
        if (failedBy(error, 'unusable_point', 'no_room')) return error.message;
        throw error;
      });
    });
    if (refused !== undefined)
      return commit(async (tx) => {
        if (await release(tx, payload))
          await updateSite(tx, siteId, { driver: site.driver, php_version: site.php_version });
        await finishEvent(tx, eventId, { failure: `The site stays where it is. ${refused}` });
      });
    const storageBytes = await hosts.diskUsageBytes(target);
    await commit(async (tx) => {
      await lockTeam(tx, site.team_id);
      if (!(await release(tx, payload))) return;
      await updateSite(tx, siteId, {
        ...place,
        storage_bytes: storageBytes,
        storage_measured_at: new Date(),
      });
      await addStorage(tx, site.team_id, storageBytes - site.storage_bytes);
      await finishEvent(tx, eventId, { result: { database } });
    });
  },
  async abandon(tx, payload) {
    await release(tx, payload);
    await finishEvent(tx, payload.eventId, { failure: 'The site could not be moved; it works as before.' });
  },
});

function driverFor({ newSites }: Call['services']['config'], site: SiteRow): string {
  return site.host === newSites.host ? newSites.driver : site.driver;
}
