import { type Static, Type } from 'typebox';
import { failure } from '#core/errors.ts';
import { Moment, Nullable, Timestamp, Uuid } from '#core/http/schema.ts';

export const NewStage = Type.Object({
  subdomain: Type.String({
    minLength: 1,
    maxLength: 63,
    description: 'The first part of the name of the staging site: letters, digits and dashes',
  }),
  restore_point: Type.Optional(Moment),
  git_staging_branch: Type.Optional(Type.String({ maxLength: 250 })),
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
