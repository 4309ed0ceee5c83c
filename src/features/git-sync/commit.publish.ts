import { reportProgress } from '#core/events/events.ts';
import { type GitBranch, type GitChange, GitFailed, type GitFile } from '#core/git.ts';
import type { Services } from '#core/services.ts';
import { spaceOf } from '#features/backup/backup.ts';
import type { HeldWork } from '#features/hold/hold.ts';
import type { SiteRow } from '#features/instance/instance.ts';
import { chosenOf, cutWhole, foldersAbove, readChanges, type SiteChange, withRules } from './commit.changes.ts';
import { branchMoved, noAccount, notCommittable, nothingToCommit } from './commit.schema.ts';
import { type CommitState, readCommitState, writeCommitState } from './commit.state.ts';
import { type BroughtFiles, filesIn, LIMITS, packFiles, unpackFiles } from './git-sync.files.ts';
import { openingOf } from './git-sync.open.ts';
import { CONTENT_FOLDER } from './git-sync.rules.ts';
import type { LinkRow } from './git-sync.sql.ts';

/** What somebody asked for. The time makes the same commit of it in every attempt. */
export interface CommitWork extends HeldWork {
  branch: string;
  message: string;
  paths?: string[];
  author: { name: string; email: string };
  atMs: number;
}

export interface Commit {
  services: Services;
  work: CommitWork;
  site: SiteRow & { git_last_sync_hash: string };
  link: LinkRow;
}

const MAX = { files: 20_000, bytes: 200 * 1024 * 1024 };
const MB = 1024 * 1024;
/** So often the branch may go on while the commit is made. */
const ATTEMPTS = 3;
const NAMED = 3;

/** Makes the commit and brings it to the branch; GitFailed or one of the feature's own refusals where that can not be. */
export async function publish(commit: Commit): Promise<CommitState> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await publishOnce(commit);
    } catch (error) {
      if (!(error instanceof GitFailed) || error.reason !== 'moved' || attempt >= ATTEMPTS) throw error;
    }
  }
}

async function publishOnce(commit: Commit): Promise<CommitState> {
  const { services, work, site, link } = commit;
  const { db, git } = services;
  const { url, credential } = await openingOf(services, link);
  if (!credential) throw noAccount();
  await reportProgress(db, work.eventId, { step: 'fetching the repository' });
  const { branch } = work;
  const from = { branch, base: site.git_last_sync_hash, credential, folders: [CONTENT_FOLDER] };
  return git.withBranch(url, { ...from, who: site.team_id, cache: site.id }, async (on) => {
    const last = await readCommitState(db, work);
    // An attempt that was killed, or that was not told how its push ended, may have brought it there.
    if (last && (on.commit === last.commit || (await on.has(last.commit)))) return last;
    await reportProgress(db, work.eventId, { step: 'reading the site' });
    const brought = unpackFiles(link.files);
    const changes = await readChanges(services, site, brought, await cutWhole(services, site.id));
    const { prefix, all } = await filesIn(on);
    const rules = await on.rules();
    const found = await withRules(services, changes, { prefix, rules });
    const chosen = chosenOf(found, work.paths);
    if (chosen.length === 0) throw nothingToCommit();
    requireFitting(chosen);
    requireUnfiltered(found.filtered, chosen);
    const written = await store(commit, on, chosen);
    const there = new Map(all.map((file) => [file.path, file]));
    const coming = mergeInto(there, brought, written, branch);
    const inRepository = coming.map(({ path, ...rest }) => ({ path: `${prefix}${path}`, ...rest }));
    const hash = await on.make(inRepository, { ...work.author, message: work.message, atMs: work.atMs });
    if (hash === undefined) throw nothingToCommit({ message: `The branch ${branch} has all of it already.` });
    const isSynced = branch === (link.branch ?? link.default_branch) && on.commit === site.git_last_sync_hash;
    const state: CommitState = {
      eventId: work.eventId,
      phase: 'pushing',
      branch,
      commit: hash,
      isSynced,
      counts: countsOf(chosen),
      leftOut: { count: found.leftOut.length, files: found.leftOut.slice(0, 100) },
    };
    const files = { ...withWritten(brought, written), repository: { prefix, rules } };
    await writeCommitState(db, site.id, state, isSynced ? packFiles(files) : null);
    await reportProgress(db, work.eventId, { step: 'pushing' });
    await on.push(hash);
    return state;
  });
}

function requireFitting(chosen: readonly SiteChange[]): void {
  const refuse = (message: string) => notCommittable({ message });
  const large = chosen.find(({ sizeBytes }) => sizeBytes > LIMITS.eachBytes);
  if (large) throw refuse(`${large.path} is larger than ${LIMITS.eachBytes / MB} MB. Choose other paths.`);
  if (chosen.length > MAX.files) throw refuse(`More than ${MAX.files} files differ. Choose some of them.`);
  const bytes = chosen.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  if (bytes > MAX.bytes) throw refuse(`The changes take more than ${MAX.bytes / MB} MB. Choose some of them.`);
}

/** LFS, or whatever else keeps another form of a file in the repository, does not run here. */
function requireUnfiltered(filtered: ReadonlyMap<string, string>, chosen: readonly SiteChange[]): void {
  const [first, ...others] = chosen.filter(({ path }) => filtered.has(path));
  if (!first) return;
  const filter = filtered.get(first.path) ?? '';
  const how = filter === 'lfs' ? 'Git LFS' : `the filter ${filter.slice(0, 50)}`;
  const more = others.length > 0 ? ` and ${others.length} more` : '';
  throw notCommittable({
    message: `.gitattributes keeps ${first.path}${more} with ${how}, which can not be written from here. Choose other paths.`,
  });
}

interface Written extends SiteChange {
  oid: string | null;
}

async function store({ services, site }: Commit, on: GitBranch, chosen: readonly SiteChange[]): Promise<Written[]> {
  const space = await spaceOf(services.db, site.id);
  const coming = chosen.flatMap(({ ref, sizeBytes }) => (ref === null ? [] : [{ ref, sizeBytes }]));
  const oids = await on.store(
    coming.map(
      ({ ref, sizeBytes }) =>
        () =>
          services.hosts.readKeptFile(site, space, ref, 0, sizeBytes),
    ),
  );
  let next = 0;
  return chosen.map((change) => ({ ...change, oid: change.ref === null ? null : (oids[next++] as string) }));
}

/**
 * The changes, where the branch has each file as the site got it, or has the same change already. How a file that Git has is run stays
 * Git's: WordPress gives all that it unpacks the same rights.
 */
function mergeInto(
  there: ReadonlyMap<string, GitFile>,
  brought: BroughtFiles,
  written: readonly Written[],
  branch: string,
): GitChange[] {
  const isSame = ({ path, oid }: Written) => (there.get(path)?.oid ?? null) === oid;
  const coming = written.filter((each) => !isSame(each));
  const gone = new Set(coming.filter(({ oid }) => oid === null).map(({ path }) => path));
  const staying = [...there.keys()].filter((path) => !gone.has(path));
  const files = new Set(staying);
  const folders = new Set(staying.flatMap(foldersAbove));
  const conflicts = coming.filter(({ path, oid }) => {
    if (there.get(path)?.oid !== brought.files[path]?.[0]) return true;
    return oid !== null && (folders.has(path) || foldersAbove(path).some((folder) => files.has(folder)));
  });
  if (conflicts.length > 0) {
    const named = conflicts.slice(0, NAMED).map(({ path }) => path);
    const more = conflicts.length > NAMED ? ` and ${conflicts.length - NAMED} more` : '';
    throw branchMoved({
      message: `The branch ${branch} has other changes of ${named.join(', ')}${more}. Sync the site first, or commit to another branch.`,
    });
  }
  return coming.map(({ path, oid, isExecutable }) => {
    const before = there.get(path);
    return { path, content: oid && { oid, isExecutable: before ? before.kind === 'program' : isExecutable } };
  }) as GitChange[];
}

function countsOf(chosen: readonly SiteChange[]): CommitState['counts'] {
  const count = (change: SiteChange['change']) => chosen.filter((each) => each.change === change).length;
  return { added: count('added'), changed: count('changed'), deleted: count('deleted') };
}

/** What Git has of the site once the commit is there. */
function withWritten(brought: BroughtFiles, written: readonly Written[]): BroughtFiles {
  const files = { ...brought.files };
  for (const { path, oid, ref } of written) {
    if (oid === null || ref === null) delete files[path];
    else files[path] = [oid, ref];
  }
  return { ...brought, files };
}

/** What a push certainly did not do; after any other failure it may have. */
const CERTAIN = new Set(['moved', 'not_allowed', 'rejected']);
export const isCertain = ({ reason }: GitFailed) => CERTAIN.has(reason);
