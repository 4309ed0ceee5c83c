import { type Static, Type } from 'typebox';
import { failure } from '#core/errors.ts';
import { Moment, Nullable, OneOf, say, Timestamp, Uuid } from '#core/http/schema.ts';

export const NewBreakSearch = Type.Object({
  path: say(
    Type.String({ minLength: 1, maxLength: 2000, pattern: '^/[^\\s#]*$' }),
    'The page to ask for, with its query: /shop/?page=2',
  ),
  text: Type.Optional(
    say(
      Type.String({ minLength: 1, maxLength: 500 }),
      'A text of the page; without one, a page is fine that answers with a status below 400',
    ),
  ),
  text_is: Type.Optional(
    say(OneOf(['present', 'absent']), 'Whether a fine page has the text, or has it not; the default is present'),
  ),
  from: Type.Optional(say(Moment, 'No minute before this one is looked at')),
  until: Type.Optional(say(Moment, 'Nor one after this')),
});
export type NewBreakSearch = Static<typeof NewBreakSearch>;

const NullableTimestamp = Type.Unsafe<string | null>({ type: ['string', 'null'], format: 'date-time' });

const BrokenPart = Type.Object({
  kind: OneOf(['table', 'file']),
  name: Type.String({ description: 'Of the table, or the path below wp-content' }),
  change: OneOf(['added', 'changed', 'removed']),
});

export const BreakSearch = Type.Object(
  {
    id: Uuid,
    path: Type.String(),
    created_at: Timestamp,
    state: OneOf(['searching', 'found', 'never_fine', 'never_broken', 'failed'], {
      description:
        'found: in bad_point the page was not fine for the first time. never_fine: not even in the first minute. never_broken: in every minute that is kept it was fine',
    }),
    looks: Type.Integer({ description: 'How many minutes were looked at' }),
    of: Type.Integer({ description: 'Of how many' }),
    good_point: NullableTimestamp,
    bad_point: NullableTimestamp,
    changes: Type.Array(BrokenPart, { description: 'What is different between the two, the first of it' }),
    failure: Nullable(Type.String()),
  },
  { title: 'BreakSearch' },
);
export type BreakSearch = Static<typeof BreakSearch>;

export const searchRuns = failure('break_search.running', 409, 'A search of this site is still under way.');
export const searchNotFound = failure('break_search.not_found', 404, 'There is no such search.');
export const nothingToSearch = failure('break_search.nothing', 409, 'No backup is kept of that time.');
