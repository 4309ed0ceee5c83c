import type { Caller } from '#core/auth/caller.ts';
import type { Db } from '#core/db/database.ts';
import { type AppError, invalid } from '#core/errors.ts';
import { GitFailed, type GitFailure, type GitUrl } from '#core/git.ts';
import { GitHostFailed } from '#core/git-hosts.ts';
import type { Services } from '#core/services.ts';
import {
  credentialFor,
  findGitAccounts,
  type GitAccountRow,
  hostAccountOf,
  setProblem,
} from '#features/git-account/git-account.ts';
import { repositoryKey } from '#integrations/git/git-url.ts';
import { branchFault, CONTENT_FOLDER, isBranchName, readLayout, urlFault } from './git-sync.rules.ts';
import {
  branchNotFound,
  type GitSyncRepository,
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
import { listLinkedSites } from './git-sync.sql.ts';

/** Looks into a repository for what a site's content is made of. */
export async function verifyRepository(
  db: Db,
  services: Services,
  caller: Caller,
  input: { git_url: string; git_branch?: string | undefined },
): Promise<VerifiedRepository> {
  const { git } = services;
  const branch = input.git_branch || undefined;
  if (branch !== undefined && !isBranchName(branch)) throw invalid(branchFault('is not the name of a branch'));
  const url = answered(() => git.readUrl(input.git_url.trim()));
  // A token for one team acts for that team, and the account's credentials are not the team's.
  const isForAccount = caller.credential.teamId === null;
  const credential = isForAccount ? await credentialFor(db, services, caller.userId, url) : undefined;
  const options = { branch, credential, folders: [CONTENT_FOLDER], who: caller.userId };
  const look = await git.look(url, options).catch((error: unknown) => {
    throw explain(error);
  });
  const { root, directories, faults } = readLayout(look);
  const found = { git_url: url.text, branch: look.branch, commit: look.commit };
  if (faults.length > 0) throw notSetUp({ faults, data: { verified: false, ...found } });
  return { verified: true, ...found, root, directories };
}

function answered<T>(read: () => T): T {
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

/**
 * The repositories of every linked account, and those that sites are linked to. An account whose host fails takes nothing
 * from the others; what went wrong is written down with it, where its owner sees it.
 */
export async function listRepositories(db: Db, services: Services, caller: Caller): Promise<GitSyncRepository[]> {
  const [accounts, linked] = [
    await findGitAccounts(db, caller.userId),
    await listLinkedSites(db, [...caller.roles.keys()]),
  ];
  const lists = await Promise.all(accounts.map((account) => listOf(db, services, account)));
  const found = new Map<string, GitSyncRepository>();
  for (const repository of lists.flat()) {
    const url = readOrNothing(services, repository.git_url);
    if (url) found.set(repositoryKey(url), repository);
  }
  for (const { fqdn, git_url } of linked) {
    const url = readOrNothing(services, git_url);
    const key = url ? repositoryKey(url) : git_url;
    const known = found.get(key) ?? unlisted(git_url, url);
    known.linked_sites.push(fqdn);
    found.set(key, known);
  }
  return [...found.values()];
}

async function listOf(db: Db, services: Services, row: GitAccountRow): Promise<GitSyncRepository[]> {
  const account = hostAccountOf(services, row);
  if (!account) return [];
  try {
    const repositories = await services.gitHosts.repositories(account);
    await setProblem(db, row.id, null);
    return repositories.map(({ gitUrl, defaultBranch, branches }) => ({
      git_url: gitUrl,
      provider: account.provider,
      default_branch: defaultBranch,
      branches,
      linked_sites: [],
    }));
  } catch (error) {
    if (!(error instanceof GitHostFailed)) throw error;
    await setProblem(db, row.id, error.message);
    return [];
  }
}

function readOrNothing({ git }: Services, text: string): GitUrl | undefined {
  try {
    return git.readUrl(text);
  } catch (error) {
    if (!(error instanceof GitFailed)) throw error;
    return undefined;
  }
}

/** A repository that only a site tells of; what it holds is not asked for. */
function unlisted(git_url: string, url: GitUrl | undefined): GitSyncRepository {
  const provider = PROVIDERS[url?.host ?? ''] ?? (url?.kind === 'ssh' ? 'ssh' : 'git');
  return { git_url, provider, default_branch: null, branches: [], linked_sites: [] };
}

const PROVIDERS: Record<string, GitSyncRepository['provider']> = { 'github.com': 'github', 'gitlab.com': 'gitlab' };
