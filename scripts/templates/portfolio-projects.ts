import { all, column, columns, image, line, list, p } from './blocks.ts';
import type { DraftPost, Finished } from './site.ts';

interface Project {
  slug: string;
  title: string;
  year: string;
  kind: string;
  picture: string;
  more: string;
  excerpt: string;
  text: [string, string, string];
}

const projects: Project[] = [
  {
    slug: 'kvarter',
    title: 'Kvarter',
    year: '2026',
    kind: 'Identity',
    picture: 'kvarter',
    more: 'kvarter-wall',
    excerpt: 'A house of culture that draws itself anew every season.',
    text: [
      'Kvarter had eleven rooms, four languages and one logo that fitted none of them. We gave it a floor plan instead: twenty-four tiles, which the house lays out as it likes.',
      'Four colours, five shapes and a grid. Whoever works at the front desk can make a poster in ten minutes, and no two are alike.',
      'Attendance of the spring programme rose by a third. The tiles are now also the floor of the café.',
    ],
  },
  {
    slug: 'still-life',
    title: 'Still',
    year: '2025',
    kind: 'Packaging',
    picture: 'bottles',
    more: 'still-lines',
    excerpt: 'Five syrups, one bottle, and a label that can be read across a dark bar.',
    text: [
      'Still makes syrups from what others throw away: peel, leaves, the last pears. The bottles had to look as if somebody had thought about them for a long time.',
      'One mould, five glazes, one dot. The dot is the fruit, at its real colour, photographed and averaged.',
      'Sold out twice before the first label was dry.',
    ],
  },
  {
    slug: 'undertow',
    title: 'Undertow',
    year: '2025',
    kind: 'Album',
    picture: 'waves',
    more: 'kvarter-wall',
    excerpt: 'A record sleeve that is different on each of two thousand copies.',
    text: [
      'Undertow is one piece of music in nine parts, and it is never played twice in the same order. So the sleeve is not, either.',
      'A script draws the sea from the number of the copy. Ours is 0417.',
      'The edition was printed in four nights, on a press that was about to be sold.',
    ],
  },
  {
    slug: 'block-by-block',
    title: 'Block by Block',
    year: '2024',
    kind: 'Exhibition',
    picture: 'stacked',
    more: 'rings',
    excerpt: 'How a city builds itself, told with 900 wooden cubes and no text.',
    text: [
      'The museum asked for panels. We asked for cubes. Visitors build the city themselves, and the shadows on the wall are the statistics.',
      'Every cube has six ages of the same street. Turn it, and you are thirty years on.',
      'It was shown in seven towns. In each of them, children rebuilt the station.',
    ],
  },
  {
    slug: 'sunfold',
    title: 'Sunfold',
    year: '2024',
    kind: 'Identity',
    picture: 'rings',
    more: 'still-lines',
    excerpt: 'A maker of blinds with a sign that opens and closes during the day.',
    text: [
      'Sunfold makes blinds of paper that last twenty years. They wanted a sign which nobody would mistake for a sun.',
      'So it is six rings that follow the hour: wide at noon, a thin line at night.',
      'It is on the roof now, and the neighbours set their clocks by it.',
    ],
  },
  {
    slug: 'common-ground',
    title: 'Common Ground',
    year: '2023',
    kind: 'Editorial',
    picture: 'kvarter-wall',
    more: 'stacked',
    excerpt: 'A yearbook about soil, printed with soil.',
    text: [
      'Forty farmers, forty fields, and ink made from each of them. The book is brown in forty ways.',
      'The type is set wide, because the ink wants it so.',
      'Two of the fields do not exist any more. The pages are all that is left of their colour.',
    ],
  },
];

export const posts: DraftPost[] = projects.map(({ slug, title, year, kind, picture, more, excerpt, text }, index) => ({
  slug,
  title,
  excerpt,
  picture,
  date: `${year}-0${6 - (index % 5)}-10 09:00:00`,
  categories: [kind.toLowerCase()],
  content: (site: Finished) =>
    all(
      p(text[0], { size: 'x-large' }),
      columns(
        { align: 'wide', marginTop: '50', marginBottom: '50' },
        column('50%', false, image(site.picture(more), { ratio: '4/3' })),
        column('50%', false, image(site.picture(picture), { ratio: '4/3' })),
      ),
      p(text[1]),
      p(text[2]),
      line(),
      list(
        `<strong>Year</strong> ${year}`,
        `<strong>Work</strong> ${kind}, art direction, production`,
        '<strong>With</strong> Noor Amari, Tobias Lind',
      ),
    ),
}));
