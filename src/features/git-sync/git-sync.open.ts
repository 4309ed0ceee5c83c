import { type GitCredential, GitFailed, type GitUrl } from '#core/git.ts';
import type { Services } from '#core/services.ts';
import { credentialOf, findGitAccount } from '#features/git-account/git-account.ts';
import type { LinkRow } from './git-sync.sql.ts';

/** What opens a linked repository, whoever asks. */
export async function openingOf(
  services: Services,
  link: Pick<LinkRow, 'git_url' | 'account_id' | 'uses_account'>,
): Promise<{ url: GitUrl; credential: GitCredential | undefined }> {
  const { db, git } = services;
  const url = git.readUrl(link.git_url);
  const account = link.account_id === null ? undefined : await findGitAccount(db, link.account_id);
  if (link.uses_account && !account)
    throw new GitFailed(
      'needs_credentials',
      'The Git account that opened the repository is linked no more. Link the repository again, with an account of yours that may read it.',
    );
  return { url, credential: account && credentialOf(services, account) };
}
