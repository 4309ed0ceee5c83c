import { randomUUID } from 'node:crypto';
import type { Caller } from '#core/auth/caller.ts';
import type { Db } from '#core/db/database.ts';
import { bodyFault, type Fault, invalid } from '#core/errors.ts';
import { finishEvent } from '#core/events/events.ts';
import { readHostName } from '#core/host-name.ts';
import type { Call } from '#core/http/operation.ts';
import type { Services } from '#core/services.ts';
import { type BackupRow, chooseBackup, snapshotNameOf } from '#features/backup/backup.ts';
import { linkStage, prepareStageBranch } from '#features/git-sync/git-sync.ts';
import { hold, requireIdle } from '#features/hold/hold.ts';
import {
  deleteSite,
  findStage,
  lockNamedSite,
  recordSiteEvent,
  type SiteRow,
  stageMissing,
  stagesOfSites,
} from '#features/instance/instance.ts';
import { listRegions } from '#features/region/region.ts';
import type { StageSite } from '#features/site/site.schema.ts';
import { requireStorage, viewStage } from '#features/site/site.ts';
import { nameTaken } from '#features/site-name/site-name.schema.ts';
import { insertNamedSite, isReservedName, isUnderSiteDomain } from '#features/site-name/site-name.ts';
import { addStorage, lockTeam, lockWorkingTeam } from '#features/team/team.ts';
import { carryToLive } from './commit.jobs.ts';
import { basesOf, pairOf } from './stage.compare.ts';
import { buildStage, forgetStage } from './stage.jobs.ts';
import { type CommitStage, type NewStage, stageExists } from './stage.schema.ts';
import { insertStage, setOrigin, setUndo } from './stage.sql.ts';

/** A stage that was asked for, every fault of it found. */
export interface PreparedStage {
  fqdn: string;
  /** What it is made from; the site as it is now where nobody named a point. */
  backup: BackupRow | undefined;
  /** What it follows of the repository of its site. */
  branch: string | undefined;
}

const LABEL = /^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/;

export async function prepareStage(
  db: Db,
  services: Services,
  caller: Caller,
  site: SiteRow,
  input: NewStage,
): Promise<PreparedStage> {
  const { config } = services;
  const faults: Fault[] = [];
  const label = input.subdomain.toLowerCase();
  const fqdn = LABEL.test(label) ? readHostName(`${label}.${config.stageDomain}`) : undefined;
  if (fqdn === undefined)
    faults.push(bodyFault('subdomain', 'Value error, it has letters, digits and dashes, and no dash at either end'));
  else if (
    isReservedName(
      config,
      fqdn,
      (await listRegions(db)).map(({ cname }) => cname),
    )
  )
    faults.push(bodyFault('subdomain', 'Value error, this name belongs to the platform itself'));
  const chosen = input.restore_point === undefined ? undefined : await chooseBackup(db, site, input.restore_point);
  if (chosen && 'fault' in chosen) faults.push(chosen.fault);
  const branch = input.git_staging_branch || undefined;
  const branchFault = branch && (await prepareStageBranch(db, services, caller, site, branch));
  if (branchFault) faults.push(branchFault);
  if (faults.length > 0 || fqdn === undefined) throw invalid(...faults);
  return { fqdn, branch, backup: chosen && 'backup' in chosen ? chosen.backup : undefined };
}

/** Begins to make a copy of the site to work on. The site itself goes on meanwhile. */
export async function createStage(call: Call, named: SiteRow, prepared: PreparedStage): Promise<StageSite> {
  const { db, services, caller } = call;
  const { fqdn, backup, branch } = prepared;
  const team = await lockWorkingTeam(db, named.team_id);
  const site = await lockNamedSite(db, named);
  requireIdle(site);
  if (await findStage(db, site.id)) throw stageExists();
  await requireStorage(db, team, site.storage_bytes);
  const id = randomUUID();
  const eventId = await recordSiteEvent(
    db,
    caller,
    { id, kind: 'stage', of_site_id: site.id, team_id: site.team_id, fqdn },
    {
      event_type: 'stage.created',
      activity: `${caller.fullName} made the staging site ${fqdn} of ${site.fqdn}`,
      unfinished: true,
    },
  );
  const stage = await insertNamedSite(db, {
    ...copiedFrom(site),
    id,
    kind: 'stage',
    of_site_id: site.id,
    user_id: caller.userId,
    fqdn,
    is_testing: isUnderSiteDomain(services.config, fqdn),
    core_version: backup?.core_version ?? site.core_version,
    php_version: backup?.php_version ?? site.php_version,
  });
  if (!stage) throw nameTaken();
  await insertStage(db, id);
  if (backup) await setOrigin(db, id, snapshotNameOf(backup));
  if (branch) await linkStage(db, services, site, id, branch);
  await hold(db, [id], 'creating', eventId);
  await hold(db, [site.id], 'staging', eventId);
  await services.jobs.enqueue(db, buildStage, { siteId: id, liveId: site.id, eventId }, id);
  call.headers['operation-id'] = eventId;
  return viewPair(db, site);
}

/** Makes the stage what the live site is now. What was in it is in its backups. */
export async function refreshStage(call: Call, named: SiteRow): Promise<StageSite> {
  const { db, services, caller } = call;
  const team = await lockWorkingTeam(db, named.team_id);
  const { live, stage } = await pairOf(db, await lockNamedSite(db, named));
  await requireStorage(db, team, Math.max(0, live.storage_bytes - stage.storage_bytes));
  const eventId = await recordSiteEvent(db, caller, stage, {
    event_type: 'stage.refreshed',
    activity: `${caller.fullName} made the staging site ${stage.fqdn} anew from ${live.fqdn}`,
    unfinished: true,
  });
  await hold(db, [stage.id], 'updating', eventId);
  await hold(db, [live.id], 'staging', eventId);
  const work = { siteId: stage.id, liveId: live.id, eventId, isRefresh: true };
  await services.jobs.enqueue(db, buildStage, work, stage.id);
  call.headers['operation-id'] = eventId;
  return viewPair(db, live);
}

/** Brings what the stage has changed to the live site. */
export async function commitStage(call: Call, named: SiteRow, choice: CommitStage): Promise<StageSite> {
  const { db, services, caller } = call;
  await lockWorkingTeam(db, named.team_id);
  const pair = await pairOf(db, await lockNamedSite(db, named));
  const { live, stage } = pair;
  await basesOf(db, pair);
  const eventId = await recordSiteEvent(db, caller, stage, {
    event_type: 'stage.committed',
    activity: `${caller.fullName} committed the staging site ${stage.fqdn} to ${live.fqdn}`,
    unfinished: true,
  });
  await setUndo(db, stage.id, null);
  await hold(db, [live.id, stage.id], 'committing', eventId);
  await services.jobs.enqueue(db, carryToLive, { siteId: live.id, stageId: stage.id, eventId, choice }, live.id);
  call.headers['operation-id'] = eventId;
  return viewPair(db, live);
}

export async function viewPair(db: Db, live: SiteRow): Promise<StageSite> {
  const row = (await stagesOfSites(db, [live.id])).get(live.id);
  if (!row) throw stageMissing();
  return viewStage(row);
}

/** What guards the live site guards its copy. While somebody works on it, nothing of it is kept in the cache. */
function copiedFrom(site: SiteRow) {
  const { team_id, region_id, host, driver, db_prefix, http_auth_enabled, http_auth_password_sealed } = site;
  const { cdn_firewall_enabled, cdn_firewall_allowed_ips, code_server_password_sealed, debug_enabled } = site;
  return {
    ...{ team_id, region_id, host, driver, db_prefix, http_auth_enabled, http_auth_password_sealed },
    ...{ cdn_firewall_enabled, cdn_firewall_allowed_ips, code_server_password_sealed, debug_enabled },
    cdn_dev_mode_enabled: true,
    domain_option: 'platform' as const,
  };
}

export async function deleteStage(call: Call, named: SiteRow): Promise<void> {
  const { db, services, caller } = call;
  await lockTeam(db, named.team_id);
  const site = await lockNamedSite(db, named);
  requireIdle(site);
  const stage = await findStage(db, site.id);
  if (!stage) throw stageMissing();
  requireIdle(stage);
  await endStage(db, services, stage);
  const activity = `${caller.fullName} deleted the staging site ${stage.fqdn} of ${site.fqdn}`;
  await recordSiteEvent(db, caller, stage, { event_type: 'stage.deleted', activity });
}

/** It is gone for good with this transaction, and its name is free. Its team and its live site are locked. */
export async function endStage(db: Db, services: Services, stage: SiteRow): Promise<void> {
  const { id, host, driver, team_id, busy_event_id } = stage;
  if (busy_event_id) await finishEvent(db, busy_event_id, { failure: 'The staging site was deleted.' });
  await addStorage(db, team_id, -stage.storage_bytes);
  await deleteSite(db, id);
  await services.jobs.enqueue(db, forgetStage, { id, host, driver }, id);
}
