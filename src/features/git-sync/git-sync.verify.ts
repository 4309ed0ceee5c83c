import type { Caller } from '#core/auth/caller.ts';
import type { Db } from '#core/db/database.ts';
import { type AppError, invalid } from '#core/errors.ts';
import { GitFailed, type GitFailure, type GitUrl } from '#core/git.ts';
import type { Services } from '#core/services.ts';
import { accountFor, credentialOf, type GitAccountRow } from '#features/git-account/git-account.ts';
import { branchFault, CONTENT_FOLDER, isBranchName, readLayout, urlFault } from './git-sync.rules.ts';
import {
  branchNotFound,
  gitFailed,
  gitNotConfigured,
  gitTimeout,
  gitUnreachable,
  hostKeyChanged,
  needsCredentials,
  notSetUp,
  repositoryEmpty,
  repositoryNotFound,
  repositoryTooLarge,
  type VerifiedRepository,
} from './git-sync.schema.ts';

/** Looks into a repository for what a site's content is made of. */
export async function verifyRepository(
  db: Db,
  services: Services,
  caller: Caller,
  input: { git_url: string; git_branch?: string | undefined },
): Promise<VerifiedRepository> {
  const url = answered(() => services.git.readUrl(input.git_url.trim()));
  return verifyWith(services, caller, url, input.git_branch, await accountOf(db, caller, url));
}

/** A token for one team acts for that team, and the account's credentials are not the team's. */
export async function accountOf(db: Db, caller: Caller, url: GitUrl): Promise<GitAccountRow | undefined> {
  return caller.credential.teamId === null ? accountFor(db, caller.userId, url) : undefined;
}

/** The same with an account that is known. */
export async function verifyWith(
  services: Services,
  caller: Caller,
  url: GitUrl,
  git_branch: string | undefined,
  account: GitAccountRow | undefined,
): Promise<VerifiedRepository> {
  const { git } = services;
  const branch = git_branch || undefined;
  if (branch !== undefined && !isBranchName(branch)) throw invalid(branchFault('is not the name of a branch'));
  const credential = account && credentialOf(services, account);
  const options = { branch, credential, folders: [CONTENT_FOLDER], who: caller.userId };
  const look = await git.look(url, options).catch((error: unknown) => {
    throw explain(error);
  });
  const { root, directories, faults } = readLayout(look);
  const found = { git_url: url.text, branch: look.branch, commit: look.commit };
  if (faults.length > 0) throw notSetUp({ faults, data: { verified: false, ...found } });
  return { verified: true, ...found, root, directories };
}

export function answered<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw explain(error);
  }
}

type Refusal = (more: { message?: string; faults?: ReturnType<typeof urlFault>[] }) => AppError;

/** What the caller can mend is theirs and names the field; the rest is the other side's or ours. */
const OURS: Partial<Record<GitFailure, Refusal>> = {
  timeout: gitTimeout,
  unreachable: gitUnreachable,
  host_key: hostKeyChanged,
  failed: gitFailed,
  not_configured: gitNotConfigured,
};
const THEIRS: Partial<Record<GitFailure, Refusal>> = {
  needs_credentials: needsCredentials,
  not_found: repositoryNotFound,
  no_branch: branchNotFound,
  empty: repositoryEmpty,
  too_large: repositoryTooLarge,
  unusable: notSetUp,
};

function explain(error: unknown): unknown {
  if (!(error instanceof GitFailed)) return error;
  const { reason, message } = error;
  const ours = OURS[reason];
  if (ours) return ours({});
  const words = message.charAt(0).toLowerCase() + message.slice(1).replace(/\.$/, '');
  const fault = reason === 'no_branch' ? branchFault(words) : urlFault(words);
  return THEIRS[reason]?.({ faults: [fault] }) ?? invalid(fault);
}
