import { type Caller, hasRoleOnSite, roleOnSite, seesSecrets } from '#core/auth/caller.ts';
import { askTogether, type Db } from '#core/db/database.ts';
import type { AppError } from '#core/errors.ts';
import { eventDetail } from '#core/events/events.ts';
import type { Call } from '#core/http/operation.ts';
import type { Services } from '#core/services.ts';
import { type BackupState, backupStates } from '#features/backup/backup.ts';
import { certificatesOf } from '#features/certificate/certificate.ts';
import { editorView } from '#features/code-editor/code-editor.ts';
import { pathsOfSites } from '#features/external-path/external-path.ts';
import { syncFailed } from '#features/git-sync/git-sync.schema.ts';
import { busyWord } from '#features/hold/hold.ts';
import { findSiteById, type SiteRow, type StageRow, siteUrl, stagesOfSites } from '#features/instance/instance.ts';
import { dkimName, dkimRecordOf, mailDomainOf } from '#features/site-mail/site-mail.ts';
import { isUnderSiteDomain, verifiedNames } from '#features/site-name/site-name.ts';
import type { Team } from '#features/team/team.schema.ts';
import { teamsById } from '#features/team/team.ts';
import { type User, usersById } from '#features/user/user.ts';
import { newNames, visitsByDay } from './site.list.sql.ts';
import { reachabilityOf } from './site.reachability.ts';
import type { Site, StageSite } from './site.schema.ts';
import { shellOf } from './site.shell.ts';

const VISIT_DAYS = 14;

/** Adds to stored sites what is computed or lies elsewhere, in as many queries for a page as for one. */
export async function completeSites(db: Db, services: Services, caller: Caller, rows: SiteRow[]): Promise<Site[]> {
  const ids = rows.map((row) => row.id);
  const names = rows.map((row) => row.fqdn);
  const teamIds = rows.map((row) => row.team_id);
  const userIds = rows.map((row) => row.user_id);
  const [teams, people, paths, backups, stages, visits, verified, renames, certificateOf] = await askTogether(
    db,
    () => teamsById(db, caller, teamIds),
    () => usersById(db, userIds),
    () => pathsOfSites(db, ids),
    () => backupStates(db, ids),
    () => stagesOfSites(db, ids),
    () => visitsByDay(db, ids, VISIT_DAYS),
    () => verifiedNames(db, names),
    () => newNames(db, rows),
    () => certificatesOf(db, services, names),
  );
  const editors = await Promise.all(rows.map((row) => editorView(services, row)));
  return rows.map((row, index) => {
    const team = teams.get(row.team_id) as Team;
    const stage = stages.get(row.id);
    const isVerified = isUnderSiteDomain(services.config, row.fqdn) || verified.has(row.fqdn);
    const certificate = certificateOf(row.fqdn, { isVerified, isWanted: true });
    return {
      ...publicPart(services, row, {
        team,
        backup: backups.get(row.id),
        editor: editors[index] ?? {},
        newFqdn: renames.get(row.id),
      }),
      ...secretPart(services, caller, row),
      reachability: reachabilityOf(services, { row, team, isVerified, certificate }),
      // What the caller is on this site, where they are limited to some.
      team: { ...team, role: roleOnSite(caller, row) ?? team.role },
      visits_by_day: visits.get(row.id) ?? [],
      created_by: people.get(row.user_id) as User,
      external_paths: paths.get(row.id) ?? [],
      site_stage: stage ? viewStage(stage) : null,
    };
  });
}

export async function completeSite(db: Db, services: Services, caller: Caller, row: SiteRow): Promise<Site> {
  return (await completeSites(db, services, caller, [row]))[0] as Site;
}

interface SiteContext {
  team: Team;
  backup: BackupState | undefined;
  editor: Record<string, unknown>;
  newFqdn: string | undefined;
}

function publicPart(services: Services, row: SiteRow, { team, backup, editor, newFqdn }: SiteContext) {
  return {
    id: row.id,
    fqdn: row.fqdn,
    team_id: row.team_id,
    tenant_id: team.tenant_id,
    user_id: row.user_id,
    region_id: row.region_id,
    active: team.is_active && !team.is_expired && row.busy !== 'creating',
    busy: busyWord(row.busy),
    is_sleeping: row.is_sleeping,
    is_free: row.is_free,
    is_testing: row.is_testing,
    is_ns_root: row.is_ns_root,
    domain_option: row.domain_option as Site['domain_option'],
    title: row.title,
    labels: row.labels,
    updates_waiting: row.updates_waiting,
    security_update: row.security_update,
    favicon_url: row.favicon_url ?? `${services.config.baseUrl}/favicon.svg`,
    http_auth_enabled: row.http_auth_enabled,
    debug_enabled: row.debug_enabled,
    code_server_enabled: row.code_server_enabled,
    db_prefix: row.db_prefix,
    git_url: row.git_url,
    git_last_sync_hash: row.git_last_sync_hash,
    current_cycle_visits: row.current_cycle_visits,
    current_cycle_bandwidth: row.current_cycle_bandwidth,
    current_storage: row.storage_bytes,
    // Before the first backup there is nothing to go back to.
    min_restore_point: backup?.min_restore_point ?? row.created_at,
    max_restore_point: new Date(Math.max(Date.now(), backup?.last_backup_at?.getTime() ?? 0)),
    properties: {
      url: siteUrl(services, row.fqdn),
      new_fqdn: newFqdn ?? null,
      core_version: row.core_version,
      php_version: row.php_version,
      shell: shellOf(services, row),
      dkim_name: dkimName(mailDomainOf(row.fqdn)),
      cdn: cdnOf(row),
      code_server: editor,
      backup: {
        last_at: backup?.last_backup_at ?? null,
        failing_since: backup?.failing_since ?? null,
        failure: backup?.failure ?? null,
      },
    },
    tracked_tables: row.tracked_tables,
    untracked_tables: row.untracked_tables,
    created_at: row.created_at,
  };
}

export const viewStage = (row: Omit<StageRow, 'of_site_id'>): StageSite => ({
  id: row.id,
  fqdn: row.fqdn,
  git_branch: row.git_branch,
  busy: busyWord(row.busy),
  is_sleeping: row.is_sleeping,
  http_auth_enabled: row.http_auth_enabled,
  debug_enabled: row.debug_enabled,
  cdn_dev_mode_enabled: row.cdn_dev_mode_enabled,
  cdn_firewall_enabled: row.cdn_firewall_enabled,
  cdn_firewall_allowed_ips: row.cdn_firewall_allowed_ips,
  created_at: row.created_at,
});

/** The answer for whoever waited until the work on a site had ended: the site as it is now, or why that failed. */
export async function rereadSite(
  { db, services, caller }: Call,
  first: { body: Site; eventId: string },
  workFailed: (why: { message: string }) => AppError,
): Promise<Site> {
  const { failure, git_sync_event_id } = await eventDetail(db, first.eventId);
  if (typeof failure === 'string') throw (git_sync_event_id ? syncFailed : workFailed)({ message: failure });
  const row = await findSiteById(db, first.body.id);
  // Deleted since: the request was repeated with its key, and what it got then is what it gets now.
  return row ? completeSite(db, services, caller, row) : first.body;
}

/** What would let its reader in is for whoever may change the site anyway. */
function secretPart({ secrets }: Services, caller: Caller, row: SiteRow) {
  if (!seesSecrets(caller) || !hasRoleOnSite(caller, row, 'member'))
    return { http_auth_password: '', code_server_password: '', dkim_key: null };
  return {
    http_auth_password: secrets.open(row.http_auth_password_sealed).toString(),
    code_server_password: secrets.open(row.code_server_password_sealed).toString(),
    dkim_key: dkimRecordOf(row)?.value ?? null,
  };
}

function cdnOf(row: SiteRow) {
  const lookups = row.current_cycle_cache_hits + row.current_cycle_cache_misses;
  return {
    dev_mode_enabled: row.cdn_dev_mode_enabled,
    firewall_enabled: row.cdn_firewall_enabled,
    firewall_allowed_ips: row.cdn_firewall_allowed_ips,
    /** Of this billing cycle; null before the first visit. */
    cache_hit_ratio: lookups === 0 ? null : Math.round((1000 * row.current_cycle_cache_hits) / lookups) / 1000,
    cache_objects: row.cache_objects,
    cache_bytes: row.cache_bytes,
    bandwidth: row.current_cycle_bandwidth,
    bandwidth_saved: row.current_cycle_cached_bandwidth,
  };
}
