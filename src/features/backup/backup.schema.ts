import { type Static, Type } from 'typebox';
import { failure } from '#core/errors.ts';
import { Nullable, OneOf, Timestamp, Uuid } from '#core/http/schema.ts';

export const Backup = Type.Object(
  {
    id: Uuid,
    commit_hash: Type.String({ description: 'Names the snapshot' }),
    created_at: Type.Unsafe<Date>({ ...Timestamp, description: 'The instant that it shows' }),
    finished_at: Timestamp,
    tables_saved: Type.Array(Type.String(), { description: 'Tables whose content went into it' }),
    tables_skipped: Type.Array(Type.String(), { description: 'Tracked tables that had not changed' }),
    files_added: Type.Integer(),
    files_changed: Type.Integer(),
    files_removed: Type.Integer(),
    stored_bytes: Type.Integer({ description: 'What it took beyond the backups before it' }),
    not_saved: Type.Array(Type.Object({ kind: OneOf(['file', 'table']), name: Type.String(), reason: Type.String() }), {
      description: 'What could not be kept, and why',
    }),
    is_consistent: Type.Boolean({ description: 'Whether files and database are of the very same instant' }),
  },
  { title: 'Backup' },
);
export type Backup = Static<typeof Backup>;

const PitFile = Type.Object({
  key: Type.String({ description: 'The path below wp-content' }),
  size: Type.Integer(),
  modified_at: Timestamp,
  version_id: Type.String({ description: 'Names the content, for the blob URLs' }),
});

export const PitFiles = Type.Object(
  {
    backup_point: Timestamp,
    files: Type.Array(PitFile),
    is_truncated: Type.Boolean({ description: 'There are more; ask for them by prefix, or after the last key' }),
  },
  { title: 'PitFiles' },
);
export type PitFiles = Static<typeof PitFiles>;

const Key = Type.String({ minLength: 1, maxLength: 4096 });

export const BlobWish = Type.Object({
  keys: Type.Array(Key, { minItems: 1, maxItems: 1000, description: 'Paths below wp-content' }),
  version_ids: Type.Optional(
    Type.Array(Nullable(Type.String({ maxLength: 120 })), {
      maxItems: 1000,
      description: 'For each key a version of PIT files, or null for the one of at_date',
    }),
  ),
});
export type BlobWish = Static<typeof BlobWish>;

export const BlobUrls = Type.Object(
  {
    urls: Type.Array(
      Type.Object({
        key: Type.String(),
        version_id: Type.String(),
        url: Type.String({ description: 'Opens without signing in, until it expires; takes ranges' }),
        expires_at: Timestamp,
      }),
    ),
  },
  { title: 'BlobUrls' },
);
export type BlobUrls = Static<typeof BlobUrls>;

export const noBackup = failure('backup.not_found', 404, 'There is no backup at or before this point.');
export const downloadRuns = failure(
  'backup.downloading',
  429,
  'A backup of your team is being downloaded already; the next one can begin when it is done.',
  { headers: { 'retry-after': '30' } },
);
export const blobNotFound = failure('blob.not_found', 404, 'There is no such file in the backup.');
export const linkExpired = failure('blob.expired', 403, 'This link is not valid, or no longer.');
