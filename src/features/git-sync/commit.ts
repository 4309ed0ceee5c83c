import type { Db } from '#core/db/database.ts';
import { LockBusy } from '#core/db/locks.ts';
import { AppError, invalid } from '#core/errors.ts';
import type { Call } from '#core/http/operation.ts';
import type { Services } from '#core/services.ts';
import { hold, requireIdle, siteBusy } from '#features/hold/hold.ts';
import { lockNamedSite, recordSiteEvent, type SiteRow, siteOrStage } from '#features/instance/instance.ts';
import { lockWorkingTeam } from '#features/team/team.ts';
import { cutWhole, readChanges, type SiteChange, type SiteChanges, TooMany, withRules } from './commit.changes.ts';
import { commitSite } from './commit.jobs.ts';
import {
  changesUnread,
  type GitChanges,
  type GitCommit,
  type NewGitCommit,
  noAccount,
  notSynced,
  tooManyFiles,
} from './commit.schema.ts';
import { unpackFiles } from './git-sync.files.ts';
import { linkedAccount } from './git-sync.open.ts';
import { branchFault, isBranchName } from './git-sync.rules.ts';
import { notLinked } from './git-sync.schema.ts';
import { findLink, type LinkRow } from './git-sync.sql.ts';

const LISTED = { files: 1000, folders: 500, leftOut: 100 };

/** What the site has changed, for somebody who waits for the answer. It is kept on the way. */
export async function getChanges(
  db: Db,
  services: Services,
  live: SiteRow,
  isStage: boolean | undefined,
): Promise<GitChanges> {
  const site = await siteOrStage(db, live, isStage);
  const { link, hash } = await syncedLink(db, site);
  try {
    const point = await cutWhole(services, site.id);
    const brought = unpackFiles(link.files);
    const found = await readChanges(services, site, brought, point);
    return viewChanges(hash, brought.repository ? await withRules(services, found, brought.repository) : found);
  } catch (error) {
    if (error instanceof AppError) throw error;
    if (error instanceof TooMany) throw tooManyFiles();
    if (error instanceof LockBusy) throw siteBusy({ message: 'The site is being backed up; try again in a moment.' });
    services.log.warn({ err: error, siteId: site.id }, 'a site could not be compared with its repository');
    throw changesUnread();
  }
}

async function syncedLink(db: Db, site: SiteRow): Promise<{ link: LinkRow; hash: string }> {
  const link = await findLink(db, site.id);
  if (!link) throw notLinked();
  if (site.git_last_sync_hash === null) throw notSynced();
  return { link, hash: site.git_last_sync_hash };
}

function viewChanges(base: string, { point, changes, leftOut }: SiteChanges): GitChanges {
  const folders = new Map<string, GitChanges['folders'][number]>();
  // What the repository knows comes first.
  const ordered = [...changes].sort((a, b) => Number(a.isNew) - Number(b.isNew));
  const total = { added: 0, changed: 0, deleted: 0 };
  for (const { folder: path, isNew: is_new, change, sizeBytes } of ordered) {
    const folder = folders.get(path) ?? { path, is_new, added: 0, changed: 0, deleted: 0, size: 0 };
    folders.set(path, { ...folder, [change]: folder[change] + 1, size: folder.size + sizeBytes });
    total[change]++;
  }
  return {
    base,
    point: new Date(point.timeMs),
    ...total,
    folders: [...folders.values()].slice(0, LISTED.folders),
    files: ordered.slice(0, LISTED.files).map(viewFile),
    is_truncated: ordered.length > LISTED.files || folders.size > LISTED.folders,
    left_out: leftOut.slice(0, LISTED.leftOut),
    left_out_count: leftOut.length,
  };
}

const viewFile = ({ path, change, sizeBytes, folder }: SiteChange) => ({ path, change, size: sizeBytes, folder });

/** Writes the event and the job, and holds the site, which goes on meanwhile. */
export async function startCommit(
  call: Call,
  named: SiteRow,
  isStage: boolean | undefined,
  { branch, message, paths }: NewGitCommit,
): Promise<GitCommit> {
  const { db, services, caller } = call;
  if (!mayBePushed(branch)) throw invalid({ ...branchFault('is not the name of a branch'), loc: ['body', 'branch'] });
  await lockWorkingTeam(db, named.team_id);
  const site = await siteOrStage(db, await lockNamedSite(db, named), isStage);
  requireIdle(site);
  const { link } = await syncedLink(db, site);
  // The account is a person's, and a credential of the team is nobody in person.
  if (caller.credential.teamId !== null || !(await linkedAccount(db, link))) throw noAccount();
  const eventId = await recordSiteEvent(db, caller, site, {
    event_type: 'git.committed',
    activity: `${caller.fullName} committed what was changed on ${site.fqdn} to its repository`,
    detail: { git_url: link.git_url, branch, message },
    unfinished: true,
  });
  const author = { name: caller.fullName, email: caller.email };
  const work = { siteId: site.id, eventId, branch, message, author, atMs: Date.now(), ...(paths && { paths }) };
  await services.jobs.enqueue(db, commitSite, work, site.id, site.team_id);
  await hold(db, [site.id], 'git_fetch', eventId);
  call.headers['operation-id'] = eventId;
  const nothing = { added: 0, changed: 0, deleted: 0, left_out: [], left_out_count: 0 };
  return { branch, hash: null, url: null, is_synced: false, ...nothing };
}

/** A branch of these names could be made, and nobody would know what is meant by them. */
const mayBePushed = (branch: string) =>
  isBranchName(branch) && !/^(?:HEAD|refs\/.*|[0-9a-f]{40}|[0-9a-f]{64})$/i.test(branch);
