import { type Static, Type } from 'typebox';
import { failure } from '#core/errors.ts';
import { Nullable, Timestamp } from '#core/http/schema.ts';

/** A command may be sent in the query or, where it is long or secret, in the body. */
const fields = {
  cmd: Type.Optional(Type.String({ minLength: 1, maxLength: 100_000, description: 'What bash runs' })),
  cwd: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 4096,
      description: 'Where it starts: below wp-content, or a whole path as the site sees it',
    }),
  ),
  auto_track_dir: Type.Optional(
    Type.String({
      maxLength: 4096,
      description:
        'Folder that the command changes, below wp-content or as a whole path: a backup of the site is taken right after it, as a restore point of its own',
    }),
  ),
  stage: Type.Optional(Type.Boolean({ description: 'On the staging site' })),
  snapshot_first: Type.Optional(Type.Boolean({ description: 'Take a backup before it as well' })),
};

export const ShellQuery = Type.Object(fields);
export const ShellBody = Type.Object({
  ...fields,
  stdin: Type.Optional(Type.String({ maxLength: 1_000_000, description: 'What it can read' })),
});
export type ShellWish = Static<typeof ShellBody>;

const RestorePoint = Type.Object({
  name: Type.String({ description: 'The first word of the command' }),
  commit_hash: Type.String({ description: 'Names the backup' }),
  created_at: Type.Unsafe<Date>({ ...Timestamp, description: 'The restore point' }),
});

export const ShellResult = Type.Object(
  {
    exit_code: Type.Integer({ description: '124: it took too long. 128 and a number: a signal ended it' }),
    stdout: Type.String(),
    stderr: Type.String(),
    duration_ms: Type.Integer(),
    truncated: Type.Boolean({ description: 'It wrote more than 1 MiB to a stream, which was cut' }),
    restore_point: Nullable(RestorePoint),
    restore_point_before: Nullable(RestorePoint),
    backup_failure: Nullable(Type.String({ description: 'Why there is no backup of what the command did' })),
  },
  { title: 'ShellResult' },
);
export type ShellResult = Static<typeof ShellResult>;

export const tooManyCommands = failure(
  'shell.too_many',
  429,
  'The team runs as many commands as it may at a time; try again when one of them has ended.',
  { headers: { 'retry-after': '5' } },
);
export const shellUnavailable = failure(
  'shell.unavailable',
  503,
  'The site can run no command right now; try again in a moment.',
);
export const backupFailed = failure(
  'shell.backup_failed',
  503,
  'The backup before the command could not be taken, so it was not run.',
);
