import { type Static, Type } from 'typebox';
import { failure } from '#core/errors.ts';
import { Moment, Nullable, OneOf, say, Timestamp, Uuid } from '#core/http/schema.ts';

export const NewStage = Type.Object({
  subdomain: Type.String({
    minLength: 1,
    maxLength: 63,
    description: 'The first part of the name of the staging site: letters, digits and dashes',
  }),
  restore_point: Type.Optional(say(Moment, 'As the site was then; now when left out')),
  git_staging_branch: Type.Optional(
    say(
      Type.String({ maxLength: 250 }),
      'The branch that the staging site follows, where the site follows a repository',
    ),
  ),
});
export type NewStage = Static<typeof NewStage>;

export const HeldMail = Type.Object(
  {
    id: Uuid,
    sender: Type.String(),
    recipients: Type.Array(Type.String()),
    subject: Type.String(),
    text: Type.String({ description: 'Empty for tokens that may only read or plan' }),
    html: Nullable(Type.String({ description: 'As the site wrote it: not to be shown without a sandbox' })),
    attachments: Type.Array(Type.String({ description: 'The name of a file, which is not kept' })),
    written_at: Timestamp,
  },
  { title: 'HeldMail' },
);

export const stageExists = failure('stage.exists', 409, 'The site has a staging site already.');
export const stageFailed = failure(
  'stage.failed',
  502,
  'The staging site could not be made, and nothing is left of it.',
);

const TableNames = Type.Array(Type.String({ minLength: 1, maxLength: 200 }), { maxItems: 500 });

export const CommitStage = Type.Object({
  plan: Type.Optional(
    Type.String({
      pattern: '^[0-9a-f]{64}$',
      description: 'A comparison (stage/changes): refused where it would be another one by now',
    }),
  ),
  mode: Type.Optional(
    OneOf(['merge', 'replace'], {
      description: 'merge keeps what live got since (default); replace makes live what the stage is',
    }),
  ),
  on_conflict: Type.Optional(
    OneOf(['stage', 'live', 'refuse'], {
      description: 'Version to take where both sides changed the same; refuse changes nothing (default)',
    }),
  ),
  keep_tables: Type.Optional({ ...TableNames, description: 'Tables that stay as live has them' }),
  take_tables: Type.Optional({
    ...TableNames,
    description: "Tables that become the stage's where they can not be merged",
  }),
  keep_files: Type.Optional(
    Type.Array(
      Type.String({ minLength: 1, maxLength: 1000, pattern: '^(?!\\.{0,2}(?:/|$)|wp-content(?:/|$))[^\\0]+$' }),
      {
        maxItems: 1000,
        description: 'Files, or folders with all they hold, below wp-content, that stay as live has them',
      },
    ),
  ),
});
export type CommitStage = Static<typeof CommitStage>;

const SIDES = ['stage', 'live', 'both'] as const;
export type StageSide = (typeof SIDES)[number];
const Side = OneOf(SIDES, { description: 'Who has changed it since; both only where they did so in different ways' });
const CHANGES = ['added', 'changed', 'removed'] as const;
const JsonRow = Nullable(Type.Record(Type.String(), Type.Unknown()));
const Counts = Type.Object({ stage: Type.Integer(), live: Type.Integer(), both: Type.Integer() });

export const StageChanges = Type.Object(
  {
    plan: Type.String({ description: 'The id of this comparison, for stage/commit' }),
    base_point: Timestamp,
    stage_point: Timestamp,
    live_point: Timestamp,
    summary: Type.Array(
      Type.Object({
        side: Side,
        change: OneOf(CHANGES),
        what: Type.String({ description: 'What it is, as one of many' }),
        count: Type.Integer(),
        titles: Type.Array(Type.String(), { description: 'Some of them' }),
        text: Type.String(),
      }),
    ),
    rows: Counts,
    files: Counts,
    tables: Type.Array(
      Type.Object({
        name: Type.String(),
        problem: Nullable(
          OneOf(['gone', 'made', 'keyless', 'large', 'unread'], {
            description: 'Why it can not be merged row by row: name it in keep_tables or take_tables',
          }),
        ),
        stage: Nullable(OneOf(['added', 'removed'])),
        live: Nullable(OneOf(['added', 'removed', 'changed'])),
        counts: Counts,
        sample: Type.Array(
          Type.Object(
            { side: Side, base: JsonRow, stage: JsonRow, live: JsonRow },
            { description: 'Empty for tokens that may only read or plan' },
          ),
        ),
      }),
    ),
    changed_files: Type.Array(
      Type.Object({
        path: Type.String(),
        side: Side,
        stage: Nullable(OneOf(CHANGES)),
        live: Nullable(OneOf(CHANGES)),
        size: Type.Integer(),
      }),
    ),
    count: Type.Integer({ description: 'How many tables and files there are to list, tables first' }),
    next: Nullable(Type.String()),
  },
  { title: 'StageChanges' },
);
export type StageChanges = Static<typeof StageChanges>;

export const stageNoBase = failure(
  'stage.no_base',
  409,
  'Nobody knows any more what the staging site was made from; refresh it.',
);
export const stageMoved = failure(
  'stage.moved_on',
  409,
  'The site or its staging site has changed since they were compared; look again.',
);
export const stageConflict = failure('stage.conflict', 409, 'Both sides have changed the same; say whose it is.');
export const compareFailed = failure(
  'stage.compare_failed',
  502,
  'The site and its staging site could not be compared.',
);
export const commitFailed = failure(
  'stage.commit_failed',
  502,
  'The staging site could not be committed; the live site is as it was.',
);
export const refreshFailed = failure('stage.refresh_failed', 502, 'The staging site could not be made anew.');
