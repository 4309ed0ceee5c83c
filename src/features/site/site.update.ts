import { type Caller, hasRole, isInTeam } from '#core/auth/caller.ts';
import { recheckRights } from '#core/auth/revocation.ts';
import type { Db } from '#core/db/database.ts';
import { bodyFault, type Fault, forbidden, invalid } from '#core/errors.ts';
import type { Call } from '#core/http/operation.ts';
import { requireVerified, teamNotFound } from '#core/policy.ts';
import type { Services } from '#core/services.ts';
import { prepareEditor } from '#features/code-editor/code-editor.ts';
import {
  isLinkedTo,
  linkSite,
  type PreparedLink,
  prepareLink,
  startSync,
  unlinkSite,
} from '#features/git-sync/git-sync.ts';
import { hold, requireIdle } from '#features/hold/hold.ts';
import {
  findSiteById,
  findStage,
  lockNamedSite,
  mayRename,
  recordSiteEvent,
  type SiteRow,
  siteNotFound,
  updateSite as write,
} from '#features/instance/instance.ts';
import { listRegions } from '#features/region/region.ts';
import {
  checkName,
  claimFurtherName,
  editorName,
  type NameClaim,
  nameIsClaimed,
  readClaim,
  siteHasName,
} from '#features/site-name/site-name.ts';
import { startChange, versionFaults, versionSteps, wishOf } from '#features/site-software/site-software.ts';
import { addStorage, lockWorkingTeam } from '#features/team/team.ts';
import { updateSiteJob } from './site.jobs.ts';
import { requireSlot, requireStorage } from './site.limits.ts';
import { changesOf, checkFirewall, didTo, readAddresses, SETTINGS } from './site.rules.ts';
import type { Site, SiteChange } from './site.schema.ts';
import { completeSite } from './site.view.ts';

/** A change in one spelling, and with a new name, whose that is. */
export interface PreparedChange {
  change: SiteChange;
  claim: NameClaim | undefined;
  /** Another repository to follow. */
  link: PreparedLink | undefined;
}

/** Reads a change into one spelling: who may, what is wrong, and what of it would change nothing. */
export async function prepareChange(
  db: Db,
  services: Services,
  caller: Caller,
  site: SiteRow,
  input: SiteChange,
): Promise<PreparedChange> {
  const { new_fqdn, team_id, ...change } = input;
  requireRights(caller, site, input);
  const faults: Fault[] = [];
  const renames = new_fqdn !== undefined && new_fqdn !== site.fqdn;
  if (renames) {
    const cnames = (await listRegions(db)).map(({ cname }) => cname);
    faults.push(...checkName(services.config, 'new_fqdn', new_fqdn, cnames));
  }
  const linksTo = change.git_url ? change.git_url.trim() : undefined;
  const isLinked = linksTo !== undefined && (await isLinkedTo(db, site, linksTo));
  const movesOn = versionSteps(site, input).length > 0;
  if (renames && movesOn)
    faults.push(bodyFault('new_fqdn', 'Value error, a new version is checked: change the name in another request'));
  if (linksTo && !isLinked && (renames || movesOn))
    faults.push(
      bodyFault('git_url', 'Value error, it syncs at once: change the name or the version in another request'),
    );
  if (change.code_server_enabled && (await nameIsClaimed(db, editorName(services.config, site))))
    faults.push(bodyFault('code_server_enabled', 'Value error, a site has the name that the editor would have'));
  const addresses = change.cdn_firewall_allowed_ips;
  if (addresses) change.cdn_firewall_allowed_ips = readAddresses(addresses, faults);
  faults.push(...checkFirewall({ ...site, ...change }));
  faults.push(...(await versionFaults(services, site, input)));
  if (faults.length > 0) throw invalid(...faults);
  const claim = renames ? await readClaim(db, services, new_fqdn, team_id ?? site.team_id) : undefined;
  const link = linksTo !== undefined && !isLinked ? await prepareLink(db, services, caller, linksTo) : undefined;
  return { change: { ...input, ...change }, claim, link };
}

/** What a role may not change although it may change the rest. Of a team that the caller is not in nobody says anything. */
function requireRights(caller: Caller, site: SiteRow, { new_fqdn, team_id }: SiteChange): void {
  if (team_id !== undefined && !isInTeam(caller, team_id)) throw teamNotFound();
  if (team_id !== undefined && team_id !== site.team_id) {
    if (!hasRole(caller, site.team_id, 'admin') || !hasRole(caller, team_id, 'admin'))
      throw forbidden({ message: 'To move a site you must be admin or owner in both teams.' });
    requireVerified(caller);
  }
  if (new_fqdn !== undefined && new_fqdn !== site.fqdn && !mayRename(caller, site))
    throw forbidden({ message: 'Only admins, the owner and the member who created a site may rename it.' });
}

/** What takes effect at the edge at once; another name, another WordPress or another PHP takes a job. */
export async function updateSite(call: Call, named: SiteRow, prepared: PreparedChange): Promise<Site> {
  const { db, services, caller } = call;
  const { change: input, claim, link } = prepared;
  const teamId = named.team_id;
  // Teams before sites, in one order, as everybody locks them.
  const movesTo = input.team_id !== undefined && input.team_id !== teamId ? input.team_id : undefined;
  const teams = new Map<string, Awaited<ReturnType<typeof lockWorkingTeam>>>();
  if (movesTo || input.is_free !== undefined || link)
    for (const id of [teamId, ...(movesTo ? [movesTo] : [])].sort()) teams.set(id, await lockWorkingTeam(db, id));
  for (const id of teams.keys()) await recheckRights(db, caller, id, named.id);
  const site = await lockNamedSite(db, named);
  // Whether this is a rename, and who may do it, was decided by the name that the site had.
  if (input.new_fqdn !== undefined && site.fqdn !== named.fqdn) throw siteNotFound();
  requireIdle(site);
  const change = changesOf(site, input, QUICK);
  // It was looked at before, but somebody else may have changed the other half of it since.
  const faults = checkFirewall({ ...site, ...change });
  if (faults.length > 0) throw invalid(...faults);

  const stage = await findStage(db, site.id);
  const target = teams.get(movesTo ?? teamId);
  const isFree = change.is_free ?? site.is_free;
  if (target && movesTo) {
    await requireSlot(db, target, isFree);
    const bytes = site.storage_bytes + (stage?.storage_bytes ?? 0);
    await requireStorage(db, target, bytes);
    await addStorage(db, teamId, -bytes);
    await addStorage(db, movesTo, bytes);
  } else if (target && isFree !== site.is_free) await requireSlot(db, target, isFree, site);

  // It is part of the site, with settings of its own.
  if (stage && movesTo) await write(db, stage.id, { team_id: movesTo });
  const password = newPassword(services, site, input);
  const written = { ...change, ...password };
  const changed = Object.keys(written).length > 0 ? ((await write(db, site.id, written)) as SiteRow) : site;
  if (change.code_server_enabled) await services.jobs.enqueue(db, prepareEditor, { siteId: site.id });
  if (movesTo) await recordMove(db, caller, site, changed);
  const isUnlinked = input.git_url === null && site.git_url !== null;
  if (isUnlinked) await unlinkSite(db, site);
  const row =
    (await startWork(call, changed, input, claim)) ??
    (await startVersions(call, changed, input)) ??
    (await startLink(call, changed, link)) ??
    changed;
  const told = [
    ...Object.keys(change).filter((name) => name !== 'team_id'),
    ...(isUnlinked || link ? ['git_url'] : []),
    ...(password ? ['code_server_password'] : []),
  ];
  if (told.length > 0) {
    const did = told.map((field) => didTo(field, change[field as keyof typeof change]));
    const activity = `${caller.fullName} ${did.join(', ')} of ${row.fqdn}`;
    const { cdn_firewall_allowed_ips: _list, ...quick } = change;
    const detail = { ...quick, ...(isUnlinked && { git_url: null }), ...(link && { git_url: link.git_url }) };
    await recordSiteEvent(db, caller, row, { event_type: 'site.updated', activity, detail: { changed: detail } });
  }
  const now = isUnlinked ? { ...row, git_url: null, git_last_sync_hash: null } : row;
  return completeSite(db, services, caller, now);
}

const QUICK = ['team_id', 'is_free', 'code_server_enabled', ...SETTINGS] as const;

/** Undefined where it stays as it is. */
function newPassword({ secrets }: Services, site: SiteRow, { code_server_password: wanted }: SiteChange) {
  if (wanted === undefined || secrets.open(site.code_server_password_sealed).toString() === wanted) return undefined;
  return { code_server_password_sealed: secrets.seal(Buffer.from(wanted)) };
}

/** Both teams are told, each in its own words. */
async function recordMove(db: Db, caller: Caller, before: SiteRow, after: SiteRow): Promise<void> {
  const event = {
    event_type: 'site.updated' as const,
    detail: { from_team_id: before.team_id, to_team_id: after.team_id },
  };
  const { fqdn } = after;
  await recordSiteEvent(db, caller, before, { ...event, activity: `${caller.fullName} moved ${fqdn} to another team` });
  await recordSiteEvent(db, caller, after, { ...event, activity: `${caller.fullName} moved ${fqdn} to this team` });
}

/** Another repository is synced at once. */
async function startLink(call: Call, site: SiteRow, link: PreparedLink | undefined): Promise<SiteRow | undefined> {
  const { db, services, caller } = call;
  if (!link) return undefined;
  await linkSite(db, services, site, link);
  call.headers['operation-id'] = await startSync(db, services, site, { by: caller, trigger: 'link' });
  return findSiteById(db, site.id);
}

/** Another WordPress or another PHP is checked, and taken back where a page breaks. */
async function startVersions(call: Call, site: SiteRow, input: SiteChange): Promise<SiteRow | undefined> {
  const { db, services, caller } = call;
  const steps = versionSteps(site, input);
  if (steps.length === 0) return undefined;
  call.headers['operation-id'] = await startChange(db, services, site, caller, steps, steps.map(wishOf));
  return findSiteById(db, site.id);
}

/**
 * A rename claims its name now, so that nobody else gets it while the site's database is rewritten. One of the site's own names needs no claim.
 */
export async function startWork(
  call: Call,
  site: SiteRow,
  { new_fqdn }: Pick<SiteChange, 'new_fqdn'>,
  claim?: NameClaim,
): Promise<SiteRow | undefined> {
  const { db, services, caller } = call;
  const newFqdn = new_fqdn !== undefined && new_fqdn !== site.fqdn ? new_fqdn : undefined;
  if (newFqdn === undefined) return undefined;
  const hasName = await siteHasName(db, newFqdn, site.id);
  if (claim && !hasName) await claimFurtherName(call, site, newFqdn, claim);
  const eventId = await recordSiteEvent(db, caller, site, {
    event_type: 'site.updated',
    activity: `${caller.fullName} renamed ${site.fqdn} to ${newFqdn}`,
    detail: { new_fqdn: newFqdn },
    unfinished: true,
  });
  const work = { siteId: site.id, eventId, newFqdn, ...(hasName && { hasName }) };
  await services.jobs.enqueue(db, updateSiteJob, work, site.id);
  call.headers['operation-id'] = eventId;
  await hold(db, [site.id], 'updating', eventId);
  return findSiteById(db, site.id);
}
