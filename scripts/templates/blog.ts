import { bowl, HEIGHT, harbour, hills, houses, letter, lighthouse, portrait, WIDTH } from './art.ts';
import { all, dynamic, group, h, image, line, list, p, part, quote, row } from './blocks.ts';
import { type DraftPost, family, palette, type SiteDraft } from './site.ts';

const wide = { width: WIDTH, height: HEIGHT };
const POST_META = row(
  { gap: '20', text: 'accent-4', size: 'small', layout: { justifyContent: 'left' } },
  dynamic('post-terms', { term: 'category' }),
  dynamic('post-date'),
);

/** Seven entries of a journal that nobody kept. */
const posts: DraftPost[] = [
  {
    slug: 'the-first-boat-out',
    title: 'The first boat out',
    date: '2026-03-28 06:40:00',
    excerpt:
      'At five the harbour belongs to the gulls and to whoever could not sleep. This morning, both of us were there.',
    categories: ['coast'],
    picture: 'harbour',
    content: (site) =>
      all(
        p(
          'At five the harbour belongs to the gulls and to whoever could not sleep. This morning, both of us were there. The first boat left without a sound that I could hear, only a line on the water that took a long time to close again.',
        ),
        p(
          'I have been coming to this wall for eleven years. I used to bring a camera, then a notebook, and now I mostly bring coffee. What I wanted to keep does not fit in any of them, but the coffee stays warm the longest.',
        ),
        h(2, 'What the tide leaves'),
        p(
          'There is an hour in which the stones are darker at the bottom than at the top, and you can read from them how high it was. It is the only newspaper here that is never wrong.',
        ),
        list(
          'A cork, painted blue on one side',
          'Half an oar, which I leave for somebody with a boat',
          'A glove, for the left hand, as always',
        ),
        quote(
          'You do not need to know where it goes. You need to know when it comes back.',
          'Said on the pier, to nobody in particular',
        ),
        image(site.picture('lighthouse'), { align: 'wide', radius: '12px' }),
        p(
          'When the sun was over the second roof I walked home by the long way. The bakery had its door open. It is a good town for people who wake early and mean nothing by it.',
        ),
      ),
  },
  {
    slug: 'lemons-in-winter',
    title: 'Lemons in winter',
    date: '2026-03-19 09:10:00',
    excerpt: 'A bowl on the table, a jar on the shelf, and the patience of salt: how a bag of lemons lasts until June.',
    categories: ['kitchen'],
    picture: 'bowl',
    content: () =>
      all(
        p(
          'They come in February, when nothing else does, and far too many at once. The neighbour leaves them on the step in a bag that once held cement. For a week we put lemon into everything, and then we reach for the salt.',
        ),
        h(2, 'You need'),
        list(
          'Eight lemons that nobody has waxed',
          'Coarse salt, about a teacup',
          'A jar with a lid you trust',
          'A dark shelf, and three weeks',
        ),
        h(2, 'What to do'),
        p(
          'Cut each lemon into quarters, but not all the way: they should open like a flower. Fill them with salt, press them into the jar until the juice covers everything, and turn the jar over every morning while the kettle boils.',
        ),
        p(
          'After three weeks the peel is soft and the kitchen smells of somewhere else. Rinse a quarter, throw away the flesh, and cut the peel into whatever you are cooking.',
        ),
      ),
  },
  {
    slug: 'a-walk-to-the-north-light',
    title: 'A walk to the north light',
    date: '2026-03-08 17:20:00',
    excerpt:
      'Nine miles, one gate that does not open, and a bench that somebody built facing the wrong way on purpose.',
    categories: ['walks'],
    picture: 'lighthouse',
    content: () =>
      all(
        p(
          'The path begins behind the school and pretends for a mile that it goes somewhere sensible. Then it turns, and the sea is on the side where you did not expect it.',
        ),
        p(
          'It takes four hours if you do not stop, and nobody has ever managed that. There is a gate that does not open and a stile that was put there to apologise for it.',
        ),
        quote('Sit with your back to the view and it will come round.', 'On the bench at the sixth mile'),
        p(
          'Take water. Take something to put on the lamp room floor if you mean to wait for the light. It comes on at dusk with a click that you can hear from the car park.',
        ),
      ),
  },
  {
    slug: 'letters-we-did-not-send',
    title: 'Letters we did not send',
    date: '2026-02-24 20:00:00',
    excerpt: 'In the drawer under the scissors there are nine of them. I have opened one, and I will tell you which.',
    categories: ['letters'],
    picture: 'letter',
    content: () =>
      all(
        p(
          'In the drawer under the scissors there are nine letters with addresses and no stamps. They are in my own hand, and I remember writing four of them.',
        ),
        p(
          'A letter that is not sent is not the same as a letter that is not written. It has had its say. It only never had to hear the answer.',
        ),
        p(
          'The one that I opened was to the woman who sold us this house. It thanks her for the pear tree. I have put a stamp on it now.',
        ),
      ),
  },
  {
    slug: 'the-street-with-no-numbers',
    title: 'The street with no numbers',
    date: '2026-02-11 11:30:00',
    excerpt:
      'The postman knows the houses by their colours, so when the Ardens painted theirs, the town held a meeting.',
    categories: ['letters', 'coast'],
    picture: 'houses',
    content: () =>
      all(
        p(
          'There are fourteen houses in our street and not a number on any of them. The postman knows them by their colours, and for the two white ones by their cats.',
        ),
        p(
          'So when the Ardens bought three tins of yellow, there was a meeting. It was short. It was decided that the colour was very nice, and that everybody would tell the postman themselves.',
        ),
        p('He got fourteen letters that week, each of them addressed to himself.'),
      ),
  },
  {
    slug: 'how-to-watch-weather',
    title: 'How to watch weather',
    date: '2026-01-30 08:15:00',
    excerpt:
      'You begin with the far hills. If you can count them, take a coat; if you can not, it is too late for one.',
    categories: ['walks'],
    picture: 'dawn',
    content: () =>
      all(
        p(
          'You begin with the far hills. If you can count them, take a coat. If you can not, it is too late for one, and you may as well enjoy it.',
        ),
        h(2, 'Three rules'),
        list(
          'Wind before rain is a short rain',
          'Swallows know, but they do not know when',
          'What the radio says was true this morning, somewhere else',
        ),
        p(
          'After a year you will be right half of the time, which is what everybody else is too. But you will have looked up every day, and that was the point.',
        ),
      ),
  },
  {
    slug: 'soup-for-one-long-evening',
    title: 'Soup for one long evening',
    date: '2026-01-14 18:45:00',
    excerpt:
      'It wants an hour and a half, two onions, and a book that you do not mind reading with a spoon in your hand.',
    categories: ['kitchen'],
    picture: 'evening',
    content: () =>
      all(
        p(
          'It wants an hour and a half, two onions, and a book that you do not mind reading with a spoon in your hand. The onions come first, and they take longer than any recipe dares to say.',
        ),
        p(
          'Then barley, a carrot for each person who might come, and the end of the cheese. Stir when you turn a page.',
        ),
      ),
  },
];

const card = group(
  { gap: '20', layout: { type: 'default' } },
  dynamic('post-featured-image', { isLink: true, aspectRatio: '3/2', style: { border: { radius: '12px' } } }),
  POST_META,
  dynamic('post-title', { isLink: true, level: 3, fontSize: 'x-large' }),
  dynamic('post-excerpt', { excerptLength: 26, fontSize: 'medium' }),
);
const queryOf = (perPage: number, offset: number) => ({
  query: {
    perPage,
    offset,
    pages: 0,
    postType: 'post',
    order: 'desc',
    orderBy: 'date',
    author: '',
    search: '',
    exclude: [],
    sticky: '',
    inherit: false,
  },
});

const frontStory = dynamic(
  'query',
  { queryId: 1, ...queryOf(1, 0), align: 'wide' },
  `<div class="wp-block-query alignwide">${dynamic(
    'post-template',
    {},
    all(
      dynamic('post-featured-image', { isLink: true, aspectRatio: '21/9', style: { border: { radius: '16px' } } }),
      group(
        { padding: '40', gap: '20', layout: { type: 'constrained', contentSize: '820px', justifyContent: 'left' } },
        POST_META,
        dynamic('post-title', {
          isLink: true,
          level: 2,
          style: { typography: { fontSize: 'clamp(2.4rem, 5.2vw, 4.4rem)', lineHeight: '1.05' } },
        }),
        dynamic('post-excerpt', { excerptLength: 40, moreText: 'Read on', fontSize: 'large' }),
      ),
    ),
  )}</div>`,
);
const otherStories = dynamic(
  'query',
  { queryId: 2, ...queryOf(6, 1), align: 'wide' },
  `<div class="wp-block-query alignwide">${dynamic('post-template', { style: { spacing: { blockGap: 'var:preset|spacing|50' } }, layout: { type: 'grid', minimumColumnWidth: '19rem' } }, card)}</div>`,
);
const inherited = dynamic(
  'query',
  { queryId: 3, query: { ...queryOf(12, 0).query, inherit: true }, align: 'wide' },
  `<div class="wp-block-query alignwide">${all(
    dynamic(
      'post-template',
      {
        style: { spacing: { blockGap: 'var:preset|spacing|50' } },
        layout: { type: 'grid', minimumColumnWidth: '19rem' },
      },
      card,
    ),
    dynamic('query-pagination', {}, all(dynamic('query-pagination-previous'), dynamic('query-pagination-next'))),
  )}</div>`,
);

const frame = (...inner: string[]) =>
  all(part('header'), group({ tag: 'main', padding: '50' }, ...inner), part('footer'));

export const blog: SiteDraft = {
  name: 'blog',
  title: 'Harbour Notes',
  tagline: 'A journal of small weather, long walks and what is in season',
  readme:
    'A journal with a large first story, cards for the others, four categories and a page about whoever writes it.',
  pictures: [
    {
      slug: 'harbour',
      alt: 'Three boats with bright sails leave a harbour at sunrise',
      ...wide,
      svg: harbour(3, {
        top: '#f7c9a0',
        bottom: '#fbe7cf',
        sun: '#d9573b',
        sea: ['#7fb0ad', '#4d8f8f', '#2e6f73', '#1f5257'],
        sails: ['#d9573b', '#e9a23b', '#c2452d'],
      }),
    },
    { slug: 'lighthouse', alt: 'A lighthouse in red and white at night', ...wide, svg: lighthouse() },
    {
      slug: 'bowl',
      alt: 'A blue bowl full of lemons on a table',
      ...wide,
      svg: bowl('#f3dcc0', '#c98d5e', '#2e6f73', [
        '#f2c14e',
        '#eab13a',
        '#f2c14e',
        '#f6cf6b',
        '#eab13a',
        '#f2c14e',
        '#f6cf6b',
        '#f2c14e',
      ]),
    },
    { slug: 'letter', alt: 'An envelope with a red seal and a pen', ...wide, svg: letter() },
    {
      slug: 'houses',
      alt: 'A row of narrow houses in many colours by the water',
      ...wide,
      svg: houses(7, '#f7c9a0', ['#d9573b', '#e9a23b', '#fbf3e4', '#2e6f73', '#c98d5e', '#7fb0ad', '#b9442b']),
    },
    {
      slug: 'dawn',
      alt: 'Hills one behind the other under a low sun',
      ...wide,
      svg: hills(
        21,
        {
          top: '#f2a27e',
          bottom: '#fbe7cf',
          sun: '#fff3d8',
          layers: ['#d98a74', '#a8616a', '#6f4a5c', '#3d3550', '#24283f'],
        },
        [1120, 380, 110],
      ),
    },
    {
      slug: 'evening',
      alt: 'Green hills in the evening',
      ...wide,
      svg: hills(
        9,
        { top: '#2b4a5a', bottom: '#e8b98b', sun: '#f6d9a8', layers: ['#5d7f78', '#42695f', '#2c5148', '#1d3b35'] },
        [480, 470, 84],
      ),
    },
    {
      slug: 'author',
      alt: 'A drawing of whoever writes here',
      width: 900,
      height: 1100,
      svg: portrait('#f3dcc0', { hair: '#5b3a2e', skin: '#f0c4a0', coat: '#2e6f73' }),
    },
  ],
  categories: [
    { slug: 'coast', name: 'Coast', description: 'What comes in with the tide' },
    { slug: 'kitchen', name: 'Kitchen', description: 'What is in season, and what to do with too much of it' },
    { slug: 'letters', name: 'Letters', description: 'About people, mostly ours' },
    { slug: 'walks', name: 'Walks', description: 'On foot, with a coat' },
  ],
  pages: [
    {
      slug: 'about',
      title: 'About',
      content: (site) =>
        all(
          p(
            'I live in a town with one harbour, two bakeries and a bus. I write down what happens, because it happens slowly enough.',
            { size: 'x-large' },
          ),
          image(site.picture('author'), { radius: '16px', ratio: '4/5' }),
          p(
            '<em>Harbour Notes</em> began as a list on the kitchen wall: what grew, who came, when the first boat went out. When there was no more wall it became this.',
          ),
          p(
            'There is a new page about every ten days. Nothing here is for sale. If you want to answer, write a comment or, better, a letter.',
          ),
        ),
    },
  ],
  posts,
  templates: {
    home: () =>
      frame(frontStory, group({ align: 'wide', padding: '30', layout: { type: 'default' } }, line()), otherStories),
    archive: () =>
      frame(
        dynamic('query-title', { type: 'archive', showPrefix: false, align: 'wide', fontSize: 'xx-large' }),
        dynamic('term-description', { align: 'wide' }),
        inherited,
      ),
    single: () =>
      frame(
        group(
          { gap: '30', padding: '30' },
          POST_META,
          dynamic('post-title', {
            level: 1,
            style: { typography: { fontSize: 'clamp(2.4rem, 5vw, 4rem)', lineHeight: '1.08' } },
          }),
          dynamic('post-excerpt', { fontSize: 'large', textColor: 'accent-4' }),
        ),
        dynamic('post-featured-image', { align: 'wide', aspectRatio: '2/1', style: { border: { radius: '16px' } } }),
        dynamic('post-content', { align: 'full', layout: { type: 'constrained' } }),
        line(),
        row(
          {},
          dynamic('post-navigation-link', { type: 'previous', showTitle: true, label: 'Before' }),
          dynamic('post-navigation-link', { showTitle: true, label: 'After' }),
        ),
        dynamic('pattern', { slug: 'twentytwentyfive/comments' }),
      ),
    page: () =>
      frame(
        dynamic('post-title', { level: 1, fontSize: 'xx-large' }),
        dynamic('post-content', { align: 'full', layout: { type: 'constrained' } }),
      ),
  },
  header: ({ menu }) =>
    group(
      { align: 'full', padding: '40' },
      row(
        { align: 'wide' },
        group(
          { gap: '0', layout: { type: 'default' } },
          dynamic('site-title', {
            level: 0,
            style: { typography: { fontSize: '2rem', fontWeight: '600', letterSpacing: '-0.02em' } },
          }),
          dynamic('site-tagline', { textColor: 'accent-4', fontSize: 'small' }),
        ),
        dynamic('navigation', {
          ref: menu,
          overlayBackgroundColor: 'base',
          overlayTextColor: 'contrast',
          layout: { type: 'flex', justifyContent: 'right' },
        }),
      ),
    ),
  footer: ({ menu }) =>
    group(
      { align: 'full', background: 'accent-3', text: 'base', padding: '60' },
      row(
        { align: 'wide' },
        group(
          { layout: { type: 'constrained', contentSize: '460px', justifyContent: 'left' } },
          dynamic('site-title', { level: 0, style: { typography: { fontSize: '1.6rem' } } }),
          p('Written by the water, about every ten days. Stay as long as you like.', { size: 'medium' }),
        ),
        dynamic('navigation', { ref: menu, overlayMenu: 'never', layout: { type: 'flex', orientation: 'vertical' } }),
      ),
    ),
  menu: [
    { label: 'About', page: 'about' },
    { label: 'Coast', page: 'category/coast' },
    { label: 'Kitchen', page: 'category/kitchen' },
    { label: 'Walks', page: 'category/walks' },
  ],
  styles: {
    settings: {
      color: palette('#FBF7F0', '#1F2A30', '#D9573B', '#EADFCB', '#1F5257', '#5F6A68', '#F3E9DA'),
      typography: {
        fontFamilies: {
          theme: [
            family('Platypi', 'serif', [
              { file: 'platypi/Platypi-VariableFont_wght.woff2', weight: '300 800' },
              { file: 'platypi/Platypi-Italic-VariableFont_wght.woff2', weight: '300 800', style: 'italic' },
            ]),
            family('Literata', 'serif', [
              { file: 'literata/Literata72pt-Regular.woff2', weight: '400' },
              { file: 'literata/Literata72pt-RegularItalic.woff2', weight: '400', style: 'italic' },
              { file: 'literata/Literata72pt-SemiBold.woff2', weight: '600' },
            ]),
          ],
        },
      },
    },
    styles: {
      typography: {
        fontFamily: 'var:preset|font-family|literata',
        fontWeight: '400',
        lineHeight: '1.6',
        letterSpacing: '0',
      },
      elements: {
        heading: {
          typography: {
            fontFamily: 'var:preset|font-family|platypi',
            fontWeight: '500',
            letterSpacing: '-0.02em',
            lineHeight: '1.15',
          },
        },
        link: { color: { text: 'currentColor' } },
      },
      blocks: {
        'core/site-title': { typography: { fontFamily: 'var:preset|font-family|platypi' } },
        'core/post-title': {
          elements: {
            link: { typography: { textDecoration: 'none' }, ':hover': { typography: { textDecoration: 'underline' } } },
          },
        },
        'core/post-terms': {
          elements: { link: { color: { text: 'var:preset|color|accent-1' }, typography: { textDecoration: 'none' } } },
        },
        'core/post-date': {
          typography: { fontSize: 'var:preset|font-size|small' },
          color: { text: 'var:preset|color|accent-4' },
        },
      },
    },
  },
};
