import { type Static, Type } from 'typebox';
import { failure } from '#core/errors.ts';
import { Nullable, OneOf } from '#core/http/schema.ts';

export const VerifiedRepository = Type.Object(
  {
    verified: Type.Boolean(),
    git_url: Type.String(),
    branch: Type.String(),
    commit: Type.String(),
    root: OneOf(['.', 'wp-content']),
    directories: Type.Array(Type.String()),
  },
  { title: 'VerifiedRepository' },
);
export type VerifiedRepository = Static<typeof VerifiedRepository>;

export const GitSyncRepository = Type.Object(
  {
    git_url: Type.String(),
    provider: OneOf(['github', 'gitlab', 'gitea', 'ssh', 'git']),
    default_branch: Nullable(Type.String()),
    branches: Type.Array(Type.String()),
    linked_sites: Type.Array(Type.String(), { description: 'Your sites that are linked to it' }),
  },
  { title: 'GitSyncRepository' },
);
export type GitSyncRepository = Static<typeof GitSyncRepository>;

export const GitLink = Type.Object(
  {
    git_url: Type.String(),
    branch: Nullable(
      Type.String({ description: "The one that is followed; null until the repository's default is known" }),
    ),
    last_sync_hash: Nullable(Type.String({ description: 'The commit that the site has' })),
    problem: Nullable(Type.String({ description: 'Why the last look or sync failed' })),
    account: Nullable(Type.String({ description: 'The linked account that opens the repository' })),
    is_account_missing: Type.Boolean({ description: 'That account is linked no more; link the repository again' }),
    hook_url: Type.String({
      description: 'Where GitHub, GitLab or Gitea can tell of pushes; empty for whoever may only read',
    }),
    hook_secret: Type.String({ description: 'What they sign or send along; empty for whoever may only read' }),
  },
  { title: 'GitLink' },
);
export type GitLink = Static<typeof GitLink>;

export const notLinked = failure('git.not_linked', 409, 'The site is linked to no Git repository.');
export const noHook = failure(
  'git.no_hook',
  404,
  'There is no such address, or what it was sent is not signed for it.',
);
export const syncFailed = failure('git.sync_failed', 502, 'The site could not be synced with its repository.');
export const notSetUp = failure('git.not_set_up', 422, 'The repository is not set up for a site.');
export const needsCredentials = failure('git.needs_credentials', 422, 'The repository is not for everybody.');
export const repositoryNotFound = failure('git.no_repository', 422, 'There is no such repository.');
export const branchNotFound = failure('git.no_branch', 422, 'There is no such branch.');
export const repositoryEmpty = failure('git.empty', 422, 'The repository has no commit yet.');
export const repositoryTooLarge = failure('git.too_large', 422, 'The repository is too large.');
export const gitUnreachable = failure('git.unreachable', 502, 'The Git host could not be reached; try again shortly.');
export const hostKeyChanged = failure(
  'git.host_key_changed',
  502,
  'The Git host shows another key than before, so nothing was read. Ask the platform’s operator about it.',
);
export const gitFailed = failure('git.failed', 502, 'Git could not read the repository.');
export const gitTimeout = failure('git.timeout', 504, 'The repository could not be read in time; try again.');
export const gitNotConfigured = failure(
  'git.not_configured',
  503,
  'The platform has no git, or no ssh for such URLs; its operator can install them.',
);
/** Of whoever looks into a repository. */
export const repositoryErrors = [
  notSetUp,
  needsCredentials,
  repositoryNotFound,
  branchNotFound,
  repositoryEmpty,
  repositoryTooLarge,
  gitUnreachable,
  hostKeyChanged,
  gitFailed,
  gitTimeout,
  gitNotConfigured,
];
