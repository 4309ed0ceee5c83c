import { type Static, Type } from 'typebox';
import { failure } from '#core/errors.ts';
import { Nullable, OneOf, say, Timestamp } from '#core/http/schema.ts';

const LeftOutFiles = Type.Array(
  Type.Object({
    path: Type.String(),
    reason: OneOf(['link', 'secret', 'name', 'ignored', 'unexported', 'unread'], {
      description:
        'A link; a file that holds secrets; a name that git does not take; kept out by .gitignore or by export-ignore; the site could not be read',
    }),
  }),
  { description: 'Some of what is never committed' },
);

export const GitChanges = Type.Object(
  {
    base: Type.String({ description: 'The commit that the site was last synced with' }),
    point: Timestamp,
    added: Type.Integer(),
    changed: Type.Integer(),
    deleted: Type.Integer(),
    folders: Type.Array(
      Type.Object({
        path: Type.String({ description: 'A plugin, a theme, a file that is one, or languages' }),
        is_new: Type.Boolean({
          description: 'The repository has nothing of it; it is committed where it is named and not otherwise',
        }),
        added: Type.Integer(),
        changed: Type.Integer(),
        deleted: Type.Integer(),
        size: Type.Integer({ description: 'Bytes of what is added or changed' }),
      }),
    ),
    files: Type.Array(
      Type.Object({
        path: Type.String(),
        change: OneOf(['added', 'changed', 'deleted']),
        size: Type.Integer(),
        folder: Type.String(),
      }),
      { description: 'The first ones, what the repository knows before what is new; the counts are of all' },
    ),
    is_truncated: Type.Boolean(),
    left_out: LeftOutFiles,
    left_out_count: Type.Integer(),
  },
  { title: 'GitChanges' },
);
export type GitChanges = Static<typeof GitChanges>;

export const NewGitCommit = Type.Object({
  branch: Type.String({ minLength: 1, maxLength: 250, description: 'It is made where it is not there' }),
  message: say(Type.String({ minLength: 1, maxLength: 5000, pattern: '\\S' }), 'What the commit says'),
  paths: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 1000 }), {
      minItems: 1,
      maxItems: 1000,
      description: 'Files or folders, as the changes name them; all of what the repository knows when left out',
    }),
  ),
});
export type NewGitCommit = Static<typeof NewGitCommit>;

export const GitCommit = Type.Object(
  {
    branch: Type.String(),
    hash: Nullable(Type.String({ description: 'Null until it is there' })),
    url: Nullable(Type.String({ description: 'Where its host shows it' })),
    is_synced: Type.Boolean({
      description: 'The site follows this branch and has all of it: there is nothing to sync',
    }),
    added: Type.Integer(),
    changed: Type.Integer(),
    deleted: Type.Integer(),
    left_out: LeftOutFiles,
    left_out_count: Type.Integer(),
  },
  { title: 'GitCommit' },
);
export type GitCommit = Static<typeof GitCommit>;

export const notSynced = failure('git.not_synced', 409, 'The site was not synced with its repository yet.');
export const noAccount = failure(
  'git.no_account',
  409,
  'The repository is linked without a Git account. Link one that may push, and link the repository again.',
);
export const changesUnread = failure('git.changes_unread', 502, 'The site could not be compared now; try again.');
export const tooManyFiles = failure('git.too_many_files', 409, 'The site has more files than can be compared.');
export const nothingToCommit = failure(
  'git.nothing_to_commit',
  409,
  'Nothing that the repository knows was changed on the site. A new plugin or theme has to be named.',
);
export const branchMoved = failure('git.branch_moved', 409, 'The branch has other changes of the same files.');
export const pushRefused = failure('git.push_refused', 409, 'The Git host does not take the commit.');
export const notCommittable = failure('git.not_committable', 409, 'What was chosen can not be committed.');
export const commitFailed = failure('git.commit_failed', 502, 'The changes could not be committed.');
