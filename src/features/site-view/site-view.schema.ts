import { type Static, Type } from 'typebox';
import { failure } from '#core/errors.ts';
import { Label, Name, OneOf, say, Timestamp, Uuid } from '#core/http/schema.ts';
import { SITE_SORTS, SITE_STATES } from '#features/site/site.schema.ts';

const LAYOUTS = ['cards', 'table'] as const;

export const SiteView = Type.Object(
  {
    id: Uuid,
    team_id: Uuid,
    name: Type.String(),
    search: Type.String({ description: 'Empty: whatever their name' }),
    label: Type.String({ description: 'Empty: with any label or none' }),
    state: Type.String({ description: 'Empty: in whatever state' }),
    sort: Type.String(),
    layout: Type.String(),
    created_at: Timestamp,
  },
  { title: 'SiteView' },
);
export type SiteView = Static<typeof SiteView>;

export const NewSiteView = Type.Object({
  name: say(Name, 'What it is called; one of the same name is replaced'),
  search: Type.Optional(Type.String({ maxLength: 253, description: 'A part of the name or of the title' })),
  label: Type.Optional(say(Label, 'Only sites with this label')),
  state: Type.Optional(OneOf(SITE_STATES, { description: 'Only sites in this state' })),
  sort: Type.Optional(OneOf(SITE_SORTS, { description: 'Newest first when left out' })),
  layout: Type.Optional(OneOf(LAYOUTS, { description: 'Cards when left out' })),
});
export type NewSiteView = Static<typeof NewSiteView>;

export const siteViewNotFound = failure('site_view.not_found', 404, 'You have no such view.');
export const tooManySiteViews = failure(
  'site_view.too_many',
  409,
  'You have 50 views of the sites of this team; delete some first.',
);
