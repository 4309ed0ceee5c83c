import { randomBytes } from 'node:crypto';
import { type Caller, hasRoleOnSite, seesSecrets } from '#core/auth/caller.ts';
import type { Db } from '#core/db/database.ts';
import { AppError, type Fault } from '#core/errors.ts';
import { finishEvent, reportProgress } from '#core/events/events.ts';
import { API_PREFIX, type Call } from '#core/http/operation.ts';
import { requireVerified } from '#core/policy.ts';
import type { Services } from '#core/services.ts';
import { hold, requireIdle } from '#features/hold/hold.ts';
import {
  findStage,
  lockNamedSite,
  recordSiteEvent,
  type SiteRow,
  siteOrStage,
  updateSite,
} from '#features/instance/instance.ts';
import { lockWorkingTeam } from '#features/team/team.ts';
import { syncSite } from './git-sync.jobs.ts';
import { linkedAccount } from './git-sync.open.ts';
import { bodyUrlFault } from './git-sync.rules.ts';
import { type GitLink, notLinked } from './git-sync.schema.ts';
import { deleteLink, findLink, putLink, setStageBranch, updateLink } from './git-sync.sql.ts';
import { accountOf, answered, verifyWith } from './git-sync.verify.ts';

/** A repository that was looked at and found right, with what opened it. */
export interface PreparedLink {
  git_url: string;
  account_id: string | null;
}

/** Looks into the repository, as its verification does; each fault is one of this field of the body. */
export async function prepareLink(db: Db, services: Services, caller: Caller, git_url: string): Promise<PreparedLink> {
  requireVerified(caller);
  return faultsIn('git_url', async () => {
    const url = answered(() => services.git.readUrl(git_url.trim()));
    const account = await accountOf(db, caller, url);
    await verifyWith(services, caller, url, undefined, account);
    return { git_url: url.text, account_id: account?.id ?? null };
  });
}

/** The branch that a stage is to follow, of the repository of its site. */
export async function prepareStageBranch(
  db: Db,
  services: Services,
  caller: Caller,
  site: SiteRow,
  branch: string,
): Promise<Fault | undefined> {
  const link = await findLink(db, site.id);
  if (!link) return { ...bodyUrlFault('the site is linked to no Git repository'), loc: ['body', 'git_staging_branch'] };
  const account = await linkedAccount(db, link);
  await faultsIn('git_staging_branch', () =>
    verifyWith(services, caller, services.git.readUrl(link.git_url), branch, account),
  );
  return undefined;
}

async function faultsIn<T>(field: string, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    if (!(error instanceof AppError) || !error.faults) throw error;
    const faults = error.faults.map((fault) => ({ ...fault, loc: ['body', field] }));
    throw new AppError(error.code, error.status, error.message, { faults, data: { ...error.data } });
  }
}

/** The site follows the repository from now on. What another one brought before is this one's to change or remove. */
export async function linkSite(db: Db, services: Services, site: SiteRow, prepared: PreparedLink): Promise<void> {
  const { git_url, account_id } = prepared;
  await putLink(db, {
    site_id: site.id,
    git_url,
    branch: null,
    account_id,
    uses_account: account_id !== null,
    hook_secret_sealed: newHookSecret(services),
  });
  // A stage follows a branch of the repository that its site had.
  if (site.git_url !== null && site.git_url !== git_url) await unlinkStage(db, site);
  await updateSite(db, site.id, { git_url, ...(site.git_url !== git_url && { git_last_sync_hash: null }) });
}

const newHookSecret = ({ secrets }: Services) => secrets.seal(Buffer.from(randomBytes(32).toString('base64url')));

/** Whoever has the secret of before is answered like anybody else from now on. */
export async function renewHookSecret(
  { db, services, caller }: Pick<Call, 'db' | 'services' | 'caller'>,
  named: SiteRow,
): Promise<GitLink> {
  const site = await lockNamedSite(db, named);
  if (!(await findLink(db, site.id))) throw notLinked();
  await updateLink(db, site.id, { hook_secret_sealed: newHookSecret(services) });
  await recordSiteEvent(db, caller, site, {
    event_type: 'git.hook_renewed',
    activity: `${caller.fullName} renewed the secret for pushes to ${site.fqdn}`,
  });
  return getLink(db, services, caller, site, false);
}

/** What the repository brought stays where it is. */
export async function unlinkSite(db: Db, site: SiteRow): Promise<void> {
  await deleteLink(db, site.id);
  await unlinkStage(db, site);
  await updateSite(db, site.id, { git_url: null, git_last_sync_hash: null });
}

async function unlinkStage(db: Db, site: SiteRow): Promise<void> {
  const stage = await findStage(db, site.id);
  if (!stage) return;
  // A sync of its own that runs needs its link until it has ended.
  requireIdle(stage);
  await deleteLink(db, stage.id);
  await setStageBranch(db, stage.id, null);
}

/** The stage is a copy of what the repository brought to its site, and goes on from there by itself. */
export async function linkStage(
  db: Db,
  services: Services,
  site: SiteRow,
  stageId: string,
  branch: string,
): Promise<void> {
  const link = await findLink(db, site.id);
  if (!link) throw notLinked();
  const { git_url, account_id, uses_account, files } = link;
  const hook_secret_sealed = newHookSecret(services);
  await putLink(db, { site_id: stageId, git_url, branch, account_id, uses_account, hook_secret_sealed, files });
  await setStageBranch(db, stageId, branch);
  await updateSite(db, stageId, { git_url });
}

/** Whether giving this URL again would change anything: it does where what opened the repository is gone. */
export async function isLinkedTo(db: Db, site: SiteRow, git_url: string): Promise<boolean> {
  const link = await findLink(db, site.id);
  return link !== undefined && link.git_url === git_url.trim() && !(link.uses_account && link.account_id === null);
}

export interface SyncReason {
  by: Pick<Caller, 'userId' | 'fullName'> | null;
  /** What began it, for the event. */
  trigger: 'link' | 'request' | 'push' | 'look';
  /** Event of the creation that this sync completes. */
  creationEventId?: string;
}

/** Writes the event and the job, and holds the site. The caller has locked it and seen that it is idle. */
export async function startSync(db: Db, services: Services, site: SiteRow, reason: SyncReason): Promise<string> {
  const link = await findLink(db, site.id);
  if (!link) throw notLinked();
  const { by, trigger, creationEventId } = reason;
  const eventId = await recordSiteEvent(db, by, site, {
    event_type: 'git.synced',
    activity: by ? `${by.fullName} synced ${site.fqdn} with its repository` : `${site.fqdn} follows its repository`,
    detail: { git_url: link.git_url, branch: link.branch, trigger },
    unfinished: true,
  });
  const work = { siteId: site.id, eventId, ...(creationEventId && { creationEventId }) };
  await services.jobs.enqueue(db, syncSite, work, site.id, site.team_id);
  await hold(db, [site.id], 'git_fetch', eventId);
  return eventId;
}

/** Ends the event of a creation with its result. Where the new site follows a repository, its first sync ends that event. */
export async function finishCreation(
  db: Db,
  services: Services,
  site: SiteRow,
  eventId: string,
  result: Record<string, unknown>,
): Promise<void> {
  if (!(await findLink(db, site.id))) return finishEvent(db, eventId, { result });
  const git_sync_event_id = await startSync(db, services, site, {
    by: null,
    trigger: 'link',
    creationEventId: eventId,
  });
  await reportProgress(db, eventId, { result, git_sync_event_id, step: 'syncing the repository' });
}

/** Syncs now, also where the commit is the same: what the site changed of its files is then as in Git again. */
export async function syncNow(call: Call, named: SiteRow, isStage: boolean | undefined): Promise<GitLink> {
  const { db, services, caller } = call;
  await lockWorkingTeam(db, named.team_id);
  const live = await lockNamedSite(db, named);
  const site = await siteOrStage(db, live, isStage);
  requireIdle(site);
  call.headers['operation-id'] = await startSync(db, services, site, { by: caller, trigger: 'request' });
  return getLink(db, services, caller, live, isStage);
}

export async function getLink(
  db: Db,
  services: Services,
  caller: Caller,
  live: SiteRow,
  isStage: boolean | undefined,
): Promise<GitLink> {
  const site = await siteOrStage(db, live, isStage);
  const link = await findLink(db, site.id);
  // Pushes come to the site's own address, whichever branch they are of.
  const own = isStage ? await findLink(db, live.id) : link;
  if (!link || !own) throw notLinked();
  const account = await linkedAccount(db, link);
  const isOpen = seesSecrets(caller) && hasRoleOnSite(caller, live, 'member');
  return {
    git_url: link.git_url,
    branch: link.branch ?? link.default_branch,
    last_sync_hash: site.git_last_sync_hash,
    problem: link.problem,
    account: account ? `${account.login ?? 'ssh'} at ${new URL(account.base_url).host}` : null,
    is_account_missing: link.uses_account && !account,
    hook_url: isOpen ? `${services.config.baseUrl}${API_PREFIX}/git_hook/${live.id}` : '',
    hook_secret: isOpen ? services.secrets.open(own.hook_secret_sealed).toString() : '',
  };
}
