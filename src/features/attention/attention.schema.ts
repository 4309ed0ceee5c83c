import { type Static, Type } from 'typebox';
import { Nullable, OneOf, say, Timestamp } from '#core/http/schema.ts';

/** In the order in which people are told of them. */
export const ATTENTION_KINDS = [
  'payment',
  'storage',
  'errors',
  'backup',
  'security',
  'certificate',
  'dns',
  'updates',
] as const;

const AttentionItem = Type.Object({
  kind: OneOf(ATTENTION_KINDS, {
    description:
      'What it is about. `security`: a release of WordPress that mends what is unsafe waits. `updates`: anything else of WordPress, plugins and themes does, and nothing of that kind',
  }),
  severity: OneOf(['danger', 'warning'], { description: 'danger: visitors or data are at risk already' }),
  fqdn: Nullable(Type.String({ description: 'The site, or null for what concerns several of them or the whole team' })),
  sites: say(Type.Integer(), 'How many sites it is about; 0 for what concerns the whole team'),
  name: Nullable(Type.String({ description: 'The domain that it is about, where a site has several' })),
  twin: Nullable(Type.String({ description: 'Its www twin, where that has the same trouble' })),
  reason: Nullable(Type.String({ description: 'What went wrong last, where that is known' })),
  since: Nullable(Timestamp),
});
export type AttentionItem = Static<typeof AttentionItem>;

export const TeamAttention = Type.Object(
  {
    sites: Type.Object({
      total: Type.Integer(),
      awake: Type.Integer(),
      asleep: Type.Integer(),
      busy: say(Type.Integer(), 'Those that a work has to itself right now'),
    }),
    items: Type.Array(AttentionItem, { description: 'What comes first is worst; at most 25 of each kind' }),
  },
  { title: 'TeamAttention' },
);
export type TeamAttention = Static<typeof TeamAttention>;
