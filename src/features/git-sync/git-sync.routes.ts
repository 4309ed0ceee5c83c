import { Type } from 'typebox';
import { operation } from '#core/http/operation.ts';
import { forAccount, signedIn, verified } from '#core/policy.ts';
import { GitSyncRepository, repositoryErrors, VerifiedRepository } from './git-sync.schema.ts';
import { listRepositories, verifyRepository } from './git-sync.ts';

const tag = 'git';

export const gitSyncOperations = [
  operation({
    id: 'listGitSyncRepositories',
    method: 'GET',
    path: '/get_git_sync_repos',
    tag,
    summary: 'The repositories of your linked Git accounts, and those that your sites are linked to',
    access: forAccount,
    response: Type.Array(GitSyncRepository),
    handle: ({ db, services, caller }) => listRepositories(db, services, caller),
  }),
  operation({
    id: 'verifyGitSyncDirectories',
    method: 'GET',
    path: '/verify_git_sync_directories',
    tag,
    summary: 'Whether a repository holds what the content of a site is made of',
    access: verified(signedIn),
    query: Type.Object({
      git_url: Type.String({ minLength: 1, maxLength: 2083, description: 'https, ssh or git@host:path' }),
      git_branch: Type.Optional(Type.String({ maxLength: 250, description: "The repository's default when left out" })),
    }),
    response: VerifiedRepository,
    errors: [...repositoryErrors],
    handle: ({ db, services, caller, query }) => verifyRepository(db, services, caller, query),
  }),
];
