import type { Caller } from '#core/auth/caller.ts';
import type { Db } from '#core/db/database.ts';
import { GitFailed, type GitUrl } from '#core/git.ts';
import { GitHostFailed } from '#core/git-hosts.ts';
import type { Services } from '#core/services.ts';
import { findGitAccounts, type GitAccountRow, hostAccountOf, setProblem } from '#features/git-account/git-account.ts';
import { repositoryKey } from '#integrations/git/git-url.ts';
import type { GitSyncRepository } from './git-sync.schema.ts';
import { listLinkedSites } from './git-sync.sql.ts';

export {
  finishCreation,
  isLinkedTo,
  linkSite,
  linkStage,
  type PreparedLink,
  prepareLink,
  prepareStageBranch,
  startSync,
  unlinkSite,
} from './git-sync.link.ts';

/**
 * The repositories of every linked account, and those that sites are linked to. An account whose host fails takes nothing
 * from the others; what went wrong is written down with it, where its owner sees it.
 */
export async function listRepositories(db: Db, services: Services, caller: Caller): Promise<GitSyncRepository[]> {
  const [accounts, linked] = [
    await findGitAccounts(db, caller.userId),
    await listLinkedSites(db, [...caller.roles.keys()], [...caller.siteRoles.keys()]),
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
