import { type Static, Type } from 'typebox';
import { failure } from '#core/errors.ts';
import { Moment, Nullable, OneOf, OpenObject, say, Timestamp, Uuid } from '#core/http/schema.ts';

const Counter = Nullable(Type.Integer());
const NullableTimestamp = Type.Unsafe<Date | null>({ type: ['string', 'null'], format: 'date-time' });

const record = {
  id: Uuid,
  site_live_id: Uuid,
  for_stage_site: Type.Boolean({ description: 'Whether the restore is of the staging site' }),
  restore_point: Timestamp,
  backup_point: Type.Unsafe<Date | null>({
    ...NullableTimestamp,
    description: 'The instant that the backup shows: the newest at or before the restore point',
  }),
  undo_point: Type.Unsafe<Date | null>({ ...NullableTimestamp, description: 'Restoring this point undoes it' }),
  is_undone: Type.Boolean({ description: 'A later restore took it back' }),
  undoes: Nullable(
    Type.Object(
      {
        kind: OneOf(['restore', 'stage_commit'], { description: 'Kind of the change' }),
        created_at: Type.String({ format: 'date-time', description: 'When that change began' }),
      },
      { description: 'The restore or the publish of a stage that this one undoes' },
    ),
  ),
  git_restore_hash: Nullable(Type.String({ description: 'The commit_hash of the backup' })),
  db_restore_hash: Nullable(Type.String()),
  restore_db: Type.Boolean(),
  restore_cms_content: Type.Boolean(),
  delete_extra_files: Type.Boolean(),
  is_dry_run: Type.Boolean(),
  passed_dry_run: Nullable(Type.Boolean()),
  num_files_added: Counter,
  num_files_deleted: Counter,
  num_files_restored: Counter,
  num_folders_added: Counter,
  num_tables_deleted: Counter,
  num_tables_failed: Counter,
  num_tables_restored: Counter,
  num_tables_skipped: Counter,
  failed_reason: Nullable(Type.String()),
  created_at: Timestamp,
  finished_at: NullableTimestamp,
};

export const PitRestore = Type.Object(record, { title: 'PitRestore' });
export type PitRestore = Static<typeof PitRestore>;

const FileChange = Type.Object({
  key: Type.String({ description: 'The path below wp-content' }),
  change: OneOf(['added', 'restored', 'deleted']),
  size: Type.Integer({ description: 'Bytes at the restore point; of what is deleted, bytes now' }),
  version_id_now: Nullable(Type.String({ description: 'The content now, for the blob URLs' })),
  version_id: Nullable(Type.String({ description: 'The content at the restore point, for the blob URLs' })),
});

const TableChange = Type.Object({
  name: Type.String(),
  change: OneOf(['restored', 'deleted', 'failed']),
  reason: Nullable(Type.String()),
  rows_added: Type.Integer(),
  rows_changed: Type.Integer(),
  rows_removed: Type.Integer(),
  sample: Type.Array(
    Type.Object({
      key: Type.Array(Type.Unsafe<unknown>({})),
      now: Nullable(OpenObject),
      at_point: Nullable(OpenObject),
    }),
    { description: 'Some of the rows, for tokens that may write' },
  ),
});

export const Changes = Type.Object({
  files: Type.Array(FileChange),
  tables: Type.Array(TableChange),
  is_truncated: Type.Boolean({ description: 'More changes than are listed here: changes_next goes on' }),
});
export type Changes = Static<typeof Changes>;

/** The list is one of tables, then files, in an order of its own; a page may have some of both. */
const listed = {
  changes_count: Nullable(
    Type.Integer({ description: 'All tables and files that change; null while that is not known' }),
  ),
  changes_next: Nullable(Type.String({ description: 'The page that goes on with the list; null where it ends' })),
};

export const ChangesQuery = {
  page: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000_000, description: 'Page of the list of changes' })),
  size: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 1000,
      description: 'Changes on a page, 1000 unless said; without page and size the first 21,000 come at once',
    }),
  ),
};

const Browse = Type.Object({
  url: Type.String({ description: 'Opens the site as it was, for whoever asked and is signed in' }),
  expires_at: Timestamp,
});

export const PitPreview = Type.Object(
  { ...record, changes: Changes, ...listed, browse: Nullable(Browse) },
  { title: 'PitPreview' },
);
export type PitPreview = Static<typeof PitPreview>;

export const PitRestoreDetail = Type.Object(
  { ...record, changes: Type.Optional(Nullable(Changes)), ...Type.Partial(Type.Object(listed)).properties },
  { title: 'PitRestoreDetail' },
);
export type PitRestoreDetail = Static<typeof PitRestoreDetail>;

export const FORMATS = ['json', 'changes', 'text'] as const;

export const NewPitRestore = Type.Object({
  restore_point: say(Moment, 'The moment to go back to'),
  delete_extra_files: Type.Optional(
    Type.Boolean({ default: false, description: 'Remove files that the backup does not have' }),
  ),
  restore_db: Type.Optional(say(Type.Boolean({ default: true }), 'Bring the database back')),
  restore_cms_content: Type.Optional(Type.Boolean({ default: true, description: 'The files below wp-content' })),
  db_restore_hash: Type.Optional(
    Type.String({ maxLength: 64, description: 'Take the database from the backup with this commit_hash instead' }),
  ),
  for_stage_site: Type.Optional(say(Type.Boolean({ default: false }), 'Of its staging site instead')),
  is_dry_run: Type.Optional(
    Type.Boolean({ default: false, description: 'Do all of it to a copy that is thrown away' }),
  ),
});
export type NewPitRestore = Static<typeof NewPitRestore>;

export const pitRestoreNotFound = failure('pit_restore.not_found', 404, 'There is no such restore of this site.');
export const restoreFailed = failure('pit_restore.failed', 502, 'The site could not be restored.');
export const previewFailed = failure('pit_restore.preview_failed', 502, 'The backup could not be compared.');
export const rehearsalRuns = failure('pit_restore.dry_run_running', 409, 'A dry run of this site is running already.');
export const noStage = failure('stage.not_found', 409, 'The site has no staging site to restore into.');
