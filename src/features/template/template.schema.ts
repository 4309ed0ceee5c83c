import { type Static, Type } from 'typebox';
import { failure } from '#core/errors.ts';
import { Fqdn, Nullable, OneOf, say, Text, Timestamp, Uuid } from '#core/http/schema.ts';

const Tag = OneOf(['business', 'blog', 'portfolio', 'other']);
const Url = Type.String({ format: 'uri', minLength: 1, maxLength: 2083 });
const Description = Type.String({ ...Text, maxLength: 2000, description: 'What sites of it are for' });

export const TemplateName = Type.String({ minLength: 1, maxLength: 80, pattern: '^[a-z0-9][a-z0-9-]*$' });

export const Template = Type.Object(
  {
    id: Uuid,
    name: Type.String(),
    description: Type.String(),
    tag: Tag,
    url: Url,
    is_public: Nullable(Type.Boolean()),
    approved: Type.Boolean({
      description: 'An operator has looked at it; before that it is for its maker’s teams alone',
    }),
    plugins: Nullable(Type.Array(Type.String(), { description: 'The folders of its plugins' })),
    readme: say(Nullable(Type.String()), 'README beside the content in the archive, else at the top of the repository'),
    ready: Type.Boolean({ description: 'Sites can be made from it' }),
    demo_url: Nullable(
      Type.String({
        description:
          'A static export of it, to be looked at. One that is not for everybody opens for an hour with this link',
      }),
    ),
    picture_url: Nullable(Type.String({ description: 'What it looks like, where there is a picture of it' })),
    team_id: say(Nullable(Uuid), 'Team whose storage it counts for and whose admins can change it'),
    user_id: Nullable(Uuid),
    created_at: Timestamp,
  },
  { title: 'Template' },
);
export type Template = Static<typeof Template>;

export const NewTemplate = Type.Object({
  description: Description,
  is_public: say(Type.Boolean(), 'For everybody, once an operator approves it'),
  tag: say(Tag, 'What kind of site it makes'),
  url: Type.String({
    minLength: 1,
    maxLength: 2083,
    description:
      'A Git repository with site.zip, site.tar.gz or site.tar.zst at its top. With fqdn, the page that shows it',
  }),
  team_id: Type.Optional(say(Uuid, 'Team that the template belongs to; your default team when left out')),
  fqdn: Type.Optional(Type.String({ ...Fqdn, description: 'A site of yours that it is made from' })),
  theme: Type.Optional(
    Type.String({ minLength: 1, maxLength: 100, description: 'The folder of the theme to activate' }),
  ),
});
export type NewTemplate = Static<typeof NewTemplate>;

export const TemplateChange = Type.Object({
  description: Type.Optional(Description),
  is_public: Type.Optional(say(Type.Boolean(), 'For everybody, once an operator approves it')),
  tag: Type.Optional(say(Tag, 'What kind of site it makes')),
  url: Type.Optional(
    say(
      Type.String({ minLength: 1, maxLength: 2083 }),
      'Repository, which is read at once; its content comes with update_git. For a template of a site, the page that shows it',
    ),
  ),
});
export type TemplateChange = Static<typeof TemplateChange>;

export const Approval = Type.Object({ approved: say(Type.Boolean(), 'False takes it back') });

export const templateNotFound = failure('template.not_found', 404, 'There is no such template.');
export const templateBusy = failure('template.busy', 409, 'The template is being made; try again when that is done.');
export const tooManyTemplates = failure(
  'template.too_many',
  409,
  'You have as many templates as there can be; delete one.',
);
export const noPicture = failure('template.no_picture', 404, 'The template has no picture.');
export const templateStorage = failure(
  'template.storage',
  402,
  'Templates count for the storage of their team, and that is used up; delete something or choose a larger plan.',
);
export const templateRefused = failure('template.refused', 422, 'No template can be made of it.');
export const templateUnreachable = failure(
  'template.unreachable',
  502,
  'The repository could not be read; try again shortly.',
);
export const templateFailed = failure('template.failed', 500, 'The template could not be made.');
