import { type Static, Type } from 'typebox';
import { failure } from '#core/errors.ts';
import { Fqdn, Label, say } from '#core/http/schema.ts';

export const MAX_LABELS = 20;

export const SiteLabel = Type.Object(
  { label: Type.String(), sites: Type.Integer({ description: 'How many sites of the team have it' }) },
  { title: 'SiteLabel' },
);
export type SiteLabel = Static<typeof SiteLabel>;

export const SiteLabels = Type.Object({ results: Type.Array(SiteLabel) }, { title: 'SiteLabels' });

const labels = (description: string) =>
  Type.Optional(Type.Array(Label, { maxItems: MAX_LABELS, uniqueItems: true, description }));

export const LabelChange = Type.Object({
  fqdns: Type.Array(Fqdn, { minItems: 1, maxItems: 100, description: 'The names of the sites' }),
  add: labels('What each of them gets'),
  remove: labels('What each of them loses'),
});
export type LabelChange = Static<typeof LabelChange>;

export const LabelledSites = Type.Object(
  { changed: say(Type.Integer(), 'How many sites have other labels than before') },
  { title: 'LabelledSites' },
);
export type LabelledSites = Static<typeof LabelledSites>;

export const tooManyLabels = failure(
  'site.too_many_labels',
  409,
  `A site has at most ${MAX_LABELS} labels; take some off first.`,
);
