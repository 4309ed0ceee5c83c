import { type Static, Type } from 'typebox';
import { failure } from '#core/errors.ts';
import { Name, Nullable, OneOf, say, Timestamp, Uuid } from '#core/http/schema.ts';
import { TOLD_KINDS } from './moment.told.ts';

/** What people do with the platform is told beside what they do with WordPress. */
export const MOMENT_KINDS = ['restore', 'commit', 'deploy', 'first', 'more', ...TOLD_KINDS] as const;
export type MomentKind = (typeof MOMENT_KINDS)[number];

const Change = OneOf(['added', 'changed', 'removed'], { description: 'What became of what it is about' });

export const SiteMoment = Type.Object(
  {
    at: Type.Unsafe<Date>({ ...Timestamp, description: 'The first kept minute that has it, which can be restored' }),
    commit_hash: Type.String({ description: 'The backup of that minute' }),
    place: Type.Integer({ description: 'Its place among what that minute brought, the weightiest first' }),
    kind: OneOf(MOMENT_KINDS),
    change: Change,
    text: Type.String({ description: 'What happened: Post “Fresh rye” published' }),
    point: Nullable(Type.Unsafe<Date>({ ...Timestamp, description: 'The minute that a restore went back to' })),
  },
  { title: 'SiteMoment' },
);
export type SiteMoment = Static<typeof SiteMoment>;

const Happened = Type.Object({
  kind: OneOf(TOLD_KINDS),
  change: Change,
  text: Type.String({ description: 'A sentence: 3 comments came' }),
  what: Type.String({ description: 'What it is about: 3 comments' }),
  count: Type.Integer({ description: 'Of how many things it tells' }),
});

export const SiteHappenings = Type.Object(
  {
    from: Type.Unsafe<Date>({ ...Timestamp, description: 'The kept minute that it begins with' }),
    until: Type.Unsafe<Date>({ ...Timestamp, description: 'The kept minute that it ends with' }),
    from_hash: Type.String({ description: 'The backup of the first' }),
    until_hash: Type.String({ description: 'The backup of the last' }),
    happened: Type.Array(Happened, {
      description:
        'What the site became from one to the other, the weightiest first; what nobody would tell of is left out',
    }),
  },
  { title: 'SiteHappenings' },
);
export type SiteHappenings = Static<typeof SiteHappenings>;

export const RestorePoint = Type.Object(
  {
    id: Uuid,
    name: Type.String(),
    restore_point: Type.Unsafe<Date>({ ...Timestamp, description: 'The minute that has the name' }),
    commit_hash: Type.String({ description: 'Its backup' }),
    created_at: Timestamp,
  },
  { title: 'RestorePoint' },
);
export type RestorePoint = Static<typeof RestorePoint>;

export const NewRestorePoint = Type.Object({
  name: say(Name, 'What to call the minute'),
  restore_point: say(
    Type.String({ format: 'date-time' }),
    'The moment; the newest backup at or before it gets the name',
  ),
  for_stage_site: Type.Optional(say(Type.Boolean(), 'Of its staging site instead')),
});
export type NewRestorePoint = Static<typeof NewRestorePoint>;

export const notTold = failure(
  'moment.not_told',
  503,
  'What happened could not be worked out just now. Try again in a moment.',
);
export const pointNotFound = failure('restore_point.not_found', 404, 'There is no such restore point.');
export const pointTaken = failure('restore_point.named', 409, 'This minute has a name already.');
export const tooManyPoints = failure(
  'restore_point.too_many',
  409,
  'The site has as many named restore points as its plan keeps. Remove one first.',
);
