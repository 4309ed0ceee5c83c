import type { Db } from '#core/db/database.ts';
import { AppError } from '#core/errors.ts';
import { finishEvent } from '#core/events/events.ts';
import { GitFailed, type GitFailure } from '#core/git.ts';
import { jobKind } from '#core/jobs/jobs.ts';
import { withoutLastSlashes } from '#core/slashes.ts';
import type { GitAccountRow } from '#features/git-account/git-account.ts';
import { type HeldWork, release } from '#features/hold/hold.ts';
import { findOwn, nothing, updateSite } from '#features/instance/instance.ts';
import { TooMany } from './commit.changes.ts';
import { type CommitWork, isCertain, publish } from './commit.publish.ts';
import { branchMoved, notCommittable, notSynced, pushRefused, tooManyFiles } from './commit.schema.ts';
import { type CommitState, readCommitState, resultOf } from './commit.state.ts';
import { linkedAccount } from './git-sync.open.ts';
import { findLink, type LinkRow, updateLink } from './git-sync.sql.ts';

/**
 * Commits what a site has changed to a branch of its repository. The site goes on meanwhile: its files are read from a snapshot, and
 * nothing of it is written. What was made is written down before it is pushed, so that an attempt after a kill finds it on the branch, or
 * makes it again.
 */
export const commitSite = jobKind<CommitWork>({
  name: 'git.commit',
  lane: 'git',
  async run(work, { services, commit }) {
    const site = await findOwn(services, work);
    if (!site) return commit(nothing);
    const link = await findLink(services.db, site.id);
    const hash = site.git_last_sync_hash;
    if (!link || hash === null) return commit((tx) => giveUp(tx, work, notSynced()));
    try {
      const state = await publish({ services, work, site: { ...site, git_last_sync_hash: hash }, link });
      const account = await linkedAccount(services.db, link);
      await commit((tx) => endWell(tx, work, link, state, account));
    } catch (error) {
      const refusal = await refusalOf(error, () => readCommitState(services.db, work));
      if (!refusal) throw error;
      await commit((tx) => giveUp(tx, work, refusal));
    }
  },
  async abandon(tx, work) {
    const state = await readCommitState(tx, work);
    const message = state
      ? `The Git host could not be asked whether it took the commit ${state.commit.slice(0, 10)}: look at its branch ${state.branch}.`
      : 'The changes could not be committed. The repository is as before.';
    await giveUp(tx, work, { message });
  },
});

const REFUSALS: Partial<Record<GitFailure, typeof pushRefused>> = {
  moved: branchMoved,
  not_allowed: pushRefused,
  rejected: pushRefused,
  no_commit: notCommittable,
  unusable: notCommittable,
  too_large: notCommittable,
};

interface Ending {
  message: string;
  code?: string;
}

/** Undefined where it is to be tried again: a fault of the platform's, or a push of which nobody knows how it ended. */
async function refusalOf(error: unknown, pushed: () => Promise<CommitState | undefined>): Promise<Ending | undefined> {
  if (error instanceof TooMany) return tooManyFiles();
  if (error instanceof AppError && error.status === 409 && error.code !== 'site.busy') return error;
  if (!(error instanceof GitFailed)) return undefined;
  if (!isCertain(error) && (await pushed())) return undefined;
  const message = `${error.message.replace(/[.]?$/, '.')} The repository is as before.`;
  return REFUSALS[error.reason]?.({ message }) ?? { message };
}

async function endWell(
  tx: Db,
  work: CommitWork,
  link: LinkRow,
  state: CommitState,
  account: GitAccountRow | undefined,
): Promise<void> {
  if (!(await release(tx, work))) return;
  const { siteId } = work;
  if (state.isSynced) {
    const files = (await findLink(tx, siteId))?.running_files ?? link.files;
    await updateSite(tx, siteId, { git_last_sync_hash: state.commit });
    // A look by the clock finds nothing new in it.
    await updateLink(tx, siteId, { files, tried_hash: state.commit, problem: null });
  }
  await updateLink(tx, siteId, ENDED);
  await finishEvent(tx, work.eventId, { result: resultOf(state, urlOf(link, account, state.commit)) });
}

const ENDED = { running: null, running_files: null };

/** Where people see the commit, of hosts whose addresses are known. */
function urlOf({ git_url }: LinkRow, account: GitAccountRow | undefined, hash: string): string | null {
  if (!account || account.provider === 'ssh' || !git_url.startsWith('https://')) return null;
  const repository = withoutLastSlashes(git_url).replace(/\.git$/, '');
  return `${repository}${account.provider === 'gitlab' ? '/-' : ''}/commit/${hash}`;
}

async function giveUp(tx: Db, work: HeldWork, { message, code }: Ending): Promise<void> {
  await release(tx, work);
  await updateLink(tx, work.siteId, ENDED);
  await finishEvent(tx, work.eventId, { failure: message, ...(code !== undefined && { refused: code }) });
}
