import { type Static, Type } from 'typebox';
import { failure } from '#core/errors.ts';
import { Nullable, Timestamp, Uuid } from '#core/http/schema.ts';

export const Preview = Type.Object(
  {
    id: Uuid,
    fqdn: Type.String({ description: 'The site that it is a copy of' }),
    is_of_stage: Type.Boolean({ description: 'It is a copy of the staging site of that one' }),
    restore_point: Timestamp,
    is_ready: Type.Boolean(),
    url: Nullable(Type.String({ description: 'Where to go, within a minute; null until it is ready' })),
    expires_at: Timestamp,
  },
  { title: 'Preview' },
);
export type Preview = Static<typeof Preview>;

export const previewNotFound = failure('preview.not_found', 404, 'This preview has ended, or it is not yours.');
export const tooManyPreviews = failure(
  'preview.too_many',
  409,
  'Others have three previews of this site open already; each goes half an hour after it was opened.',
);
