import type { Db } from '#core/db/database.ts';
import { type GitCredential, GitFailed, type GitUrl } from '#core/git.ts';
import type { Services } from '#core/services.ts';
import { credentialOf, findGitAccount, type GitAccountRow } from '#features/git-account/git-account.ts';
import { findLinkedAccountId, type LinkRow } from './git-sync.sql.ts';

/** What opens a linked repository, whoever asks. */
export async function openingOf(
  services: Services,
  link: Pick<LinkRow, 'site_id' | 'git_url' | 'account_id' | 'uses_account'>,
): Promise<{ url: GitUrl; credential: GitCredential | undefined }> {
  const { db, git } = services;
  const url = git.readUrl(link.git_url);
  const account = await linkedAccount(db, link);
  if (link.uses_account && !account)
    throw new GitFailed(
      'needs_credentials',
      'The Git account that opened the repository is linked no more. Link the repository again, with an account of yours that may read it.',
    );
  return { url, credential: account && credentialOf(services, account) };
}

export async function linkedAccount(
  db: Db,
  link: Pick<LinkRow, 'site_id' | 'account_id'>,
): Promise<GitAccountRow | undefined> {
  const id = await findLinkedAccountId(db, link);
  return id === undefined ? undefined : findGitAccount(db, id);
}
