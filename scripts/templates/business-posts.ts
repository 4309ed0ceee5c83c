import { all, list, p } from './blocks.ts';
import type { DraftPost } from './site.ts';

export const posts: DraftPost[] = [
  {
    slug: 'what-to-plant-in-april',
    title: 'What to plant in April',
    date: '2026-03-30 08:00:00',
    excerpt: 'Peas, patience, and the one rose that forgives everything: our list for the month.',
    categories: ['seasons'],
    picture: 'foliage',
    content: () =>
      all(
        p(
          'The soil is warm enough when you can sit on it. That is how our oldest gardener tells, and he has never lost a pea.',
        ),
        list(
          'Peas and broad beans, straight into the ground',
          'Lettuce under glass, a new row every ten days',
          'Roses with bare roots, this is the last call',
        ),
        p('Wait with tomatoes. Everybody knows this, and everybody needs to hear it again.'),
      ),
  },
  {
    slug: 'a-courtyard-for-everybody',
    title: 'A courtyard for everybody',
    date: '2026-02-16 08:00:00',
    excerpt: 'Forty flats, one yard, and a vote about the swing: how a house got its garden back.',
    categories: ['projects'],
    picture: 'garden',
    content: () =>
      all(
        p(
          'The yard had been a car park for thirty years. Forty parties had forty opinions, so we built the first bed in one afternoon and let people argue while they watered it.',
        ),
        p('There are now nine beds, a table for twenty and a swing, which won by two votes.'),
      ),
  },
  {
    slug: 'less-lawn-more-life',
    title: 'Less lawn, more life',
    date: '2026-01-12 08:00:00',
    excerpt: 'Give us a third of your grass for one summer. If you miss it, we will roll it out again.',
    categories: ['seasons'],
    picture: 'meadow',
    content: () =>
      all(
        p(
          'A meadow is cut twice a year and needs no water. It has four hundred kinds of guests, and none of them rings the bell.',
        ),
        p('We have made that offer thirty-one times. Nobody has asked for the grass back.'),
      ),
  },
];
