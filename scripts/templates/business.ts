import { portrait } from './art.ts';
import { all, buttons, column, columns, details, dynamic, grid, group, h, image, p, part, row } from './blocks.ts';
import { home, price } from './business-home.ts';
import { posts } from './business-posts.ts';
import { foliage, garden, sign, terrace } from './plants.ts';
import { HEIGHT, WIDTH } from './shapes.ts';
import { FOOTER_AT_ONCE, family, palette, type SiteDraft } from './site.ts';

const wide = { width: WIDTH, height: HEIGHT };
const small = { width: 300, height: 300 };

const query = {
  perPage: 6,
  offset: 0,
  pages: 0,
  postType: 'post',
  order: 'desc',
  orderBy: 'date',
  author: '',
  search: '',
  exclude: [],
  sticky: '',
  inherit: true,
};
const news = dynamic(
  'query',
  { queryId: 1, query, align: 'wide' },
  `<div class="wp-block-query alignwide">${dynamic('post-template', { style: { spacing: { blockGap: 'var:preset|spacing|50' } }, layout: { type: 'grid', minimumColumnWidth: '19rem' } }, group({ gap: '20', layout: { type: 'default' } }, dynamic('post-featured-image', { isLink: true, aspectRatio: '3/2', style: { border: { radius: '20px' } } }), dynamic('post-date', { fontSize: 'small', textColor: 'accent-4' }), dynamic('post-title', { isLink: true, level: 3, fontSize: 'x-large' }), dynamic('post-excerpt', { fontSize: 'medium' })))}</div>`,
);
const frame = (padding: string, ...inner: string[]) =>
  all(
    part('header'),
    group({ tag: 'main', padding, ...(padding === '0' && { marginTop: '0' }) }, ...inner),
    part('footer'),
  );
const titled = (...inner: string[]) =>
  frame('60', dynamic('post-title', { level: 1, align: 'wide', fontSize: 'xx-large' }), ...inner);

export const business: SiteDraft = {
  name: 'business',
  title: 'Fernbrook Gardens',
  tagline: 'Gardens and terraces, planned, planted and kept',
  readme:
    'A small company: a front page with services, figures and voices, pages for services and prices, the team, contact and news.',
  pictures: [
    {
      slug: 'garden',
      alt: 'A white house behind a green garden with flower beds',
      ...wide,
      svg: garden(8, { top: '#bfe0e2', bottom: '#f3f6e6', far: '#9cbf9a', lawn: '#6fa06a', path: '#eadfc6' }),
    },
    { slug: 'terrace', alt: 'A terrace with plants in pots before a glass door', ...wide, svg: terrace() },
    {
      slug: 'foliage',
      alt: 'Dense leaves with yellow flowers',
      ...wide,
      svg: foliage(14, '#17352b', ['#24503a', '#2f6147', '#4a8060', '#7fa66b'], '#e3b04b'),
    },
    {
      slug: 'meadow',
      alt: 'A meadow with red flowers',
      ...wide,
      svg: foliage(33, '#dfe9c8', ['#a9c48a', '#7fa66b', '#c9d9a4', '#5c8a5c'], '#d9694a'),
    },
    { slug: 'sign-leaf', alt: '', ...small, svg: sign('leaf', '#dcebdc', '#2f6147') },
    { slug: 'sign-sun', alt: '', ...small, svg: sign('sun', '#fbeccb', '#d08a1d') },
    { slug: 'sign-drop', alt: '', ...small, svg: sign('drop', '#d6e8ee', '#2f6a80') },
    {
      slug: 'anna',
      alt: 'A drawing of Anna Fernbrook',
      width: 900,
      height: 1100,
      svg: portrait('#dcebdc', { hair: '#8a4b2c', skin: '#f0c4a0', coat: '#2f6147' }),
    },
    {
      slug: 'idris',
      alt: 'A drawing of Idris Bello',
      width: 900,
      height: 1100,
      svg: portrait('#fbeccb', { hair: '#1c1714', skin: '#8d5a3b', coat: '#d08a1d' }),
    },
    {
      slug: 'mei',
      alt: 'A drawing of Mei Tan',
      width: 900,
      height: 1100,
      svg: portrait('#d6e8ee', { hair: '#221d20', skin: '#efc7a4', coat: '#2f6a80' }),
    },
  ],
  categories: [
    { slug: 'seasons', name: 'Seasons', description: 'What to do now' },
    { slug: 'projects', name: 'Projects', description: 'What we have made' },
  ],
  pages: [
    { slug: 'home', title: 'Home', content: home },
    {
      slug: 'services',
      title: 'Services and prices',
      content: (_site) =>
        all(
          p('Every garden is different, and every invoice should not be. These are our prices; there are no others.', {
            align: 'wide',
            size: 'x-large',
          }),
          grid(
            { align: 'wide', gap: '40' },
            price('Balcony', '€ 60', 'Up to fifteen square metres.', [
              'A visit each month',
              'Plants twice a year',
              'Watering while you are away',
            ]),
            price(
              'Garden',
              '€ 140',
              'For most of our clients.',
              [
                'Two visits each month',
                'Pruning in spring and autumn',
                'Lawn, beds and compost',
                'A note after every visit',
              ],
              true,
            ),
            price('Courtyard', '€ 320', 'For houses with many parties.', [
              'Weekly visits',
              'Snow and leaves included',
              'A meeting with all parties in May',
            ]),
          ),
          h(2, 'Asked before', { align: 'wide', size: 'xx-large', marginTop: '60' }),
          group(
            { align: 'wide', layout: { type: 'default' } },
            details('Do I have to be at home?', 'No. Most of our clients are not, and find a note on the table.'),
            details(
              'What if I do not like it?',
              'We change it. If you still do not, we change it again, and then we drink tea and talk.',
            ),
            details('Do you use chemicals?', 'No. It takes a year longer, and then it lasts.'),
          ),
        ),
    },
    {
      slug: 'about',
      title: 'Who we are',
      content: (site) =>
        all(
          p('Anna’s father began with a wheelbarrow. We still have it; it is planted with thyme.', {
            align: 'wide',
            size: 'x-large',
          }),
          grid(
            { align: 'wide', gap: '40' },
            ...[
              ['anna', 'Anna Fernbrook', 'Plans, and remembers every tree'],
              ['idris', 'Idris Bello', 'Builds walls, steps and ponds'],
              ['mei', 'Mei Tan', 'Knows what is wrong with your roses'],
            ].map(([slug, name, text]) =>
              group(
                { gap: '20', layout: { type: 'default' } },
                image(site.picture(slug as string), { radius: '20px', ratio: '4/5' }),
                h(3, name as string, { size: 'large' }),
                p(text as string, { size: 'medium', text: 'accent-4' }),
              ),
            ),
          ),
        ),
    },
    {
      slug: 'contact',
      title: 'Contact',
      content: (site) =>
        columns(
          { align: 'wide', gap: '60' },
          column(
            '45%',
            false,
            p('Call, write, or come by the yard. The gate is green.', { size: 'x-large' }),
            p('<strong>Fernbrook Gardens</strong><br>Old Mill Lane 4<br>Monday to Friday, 7 to 16'),
            p(
              '<a href="tel:+4930000000">+49 30 000 000</a><br><a href="mailto:hello@example.com">hello@example.com</a>',
            ),
          ),
          column('55%', false, image(site.picture('foliage'), { radius: '28px', ratio: '4/3' })),
        ),
    },
    { slug: 'news', title: 'News', content: () => '' },
  ],
  posts,
  templates: {
    'front-page': () => frame('0', dynamic('post-content', { align: 'full', layout: { type: 'constrained' } })),
    page: () => titled(dynamic('post-content', { align: 'full', layout: { type: 'constrained' } })),
    home: () => frame('60', h(1, 'News from the yard', { align: 'wide', size: 'xx-large' }), news),
    archive: () =>
      frame(
        '60',
        dynamic('query-title', { type: 'archive', showPrefix: false, align: 'wide', fontSize: 'xx-large' }),
        news,
      ),
    single: () =>
      frame(
        '60',
        dynamic('post-date', { fontSize: 'small', textColor: 'accent-4' }),
        dynamic('post-title', { level: 1, fontSize: 'xx-large' }),
        dynamic('post-featured-image', { align: 'wide', aspectRatio: '2/1', style: { border: { radius: '28px' } } }),
        dynamic('post-content', { align: 'full', layout: { type: 'constrained' } }),
      ),
  },
  front: { page: 'home', posts: 'news' },
  header: (site) =>
    group(
      { align: 'full', padding: '30' },
      row(
        { align: 'wide' },
        dynamic('site-title', { level: 0, fontSize: 'x-large' }),
        row(
          { gap: '40', layout: { justifyContent: 'right' } },
          dynamic('navigation', {
            ref: site.menu,
            overlayBackgroundColor: 'base',
            overlayTextColor: 'contrast',
            fontSize: 'medium',
            layout: { type: 'flex', justifyContent: 'right' },
          }),
          buttons([{ label: 'Book a visit', url: site.page('contact') }]),
        ),
      ),
    ),
  footer: ({ menu }) =>
    group(
      { align: 'full', background: 'accent-3', text: 'base', padding: '60' },
      row(
        { align: 'wide' },
        group(
          { layout: { type: 'constrained', contentSize: '420px', justifyContent: 'left' } },
          dynamic('site-title', { level: 0, fontSize: 'x-large' }),
          p('Old Mill Lane 4 · hello@example.com', { size: 'medium' }),
        ),
        dynamic('navigation', {
          ref: menu,
          overlayMenu: 'never',
          fontSize: 'medium',
          layout: { type: 'flex', justifyContent: 'right' },
        }),
      ),
    ),
  menu: [
    { label: 'Services', page: 'services' },
    { label: 'About', page: 'about' },
    { label: 'News', page: 'news' },
    { label: 'Contact', page: 'contact' },
  ],
  styles: {
    settings: {
      color: palette('#FBFBF6', '#17352B', '#2F6147', '#E3B04B', '#17352B', '#5C6F63', '#EEF3E8'),
      typography: {
        fontFamilies: {
          theme: [
            family('Vollkorn', 'serif', [{ file: 'vollkorn/Vollkorn-VariableFont_wght.woff2', weight: '400 900' }]),
            family('Manrope', 'sans-serif', [{ file: 'manrope/Manrope-VariableFont_wght.woff2', weight: '200 800' }]),
          ],
        },
      },
    },
    styles: {
      css: FOOTER_AT_ONCE,
      typography: { fontFamily: 'var:preset|font-family|manrope', fontWeight: '400', lineHeight: '1.55' },
      elements: {
        heading: {
          typography: {
            fontFamily: 'var:preset|font-family|vollkorn',
            fontWeight: '500',
            letterSpacing: '-0.015em',
            lineHeight: '1.12',
          },
        },
        link: { color: { text: 'currentColor' } },
        button: {
          color: { background: 'var:preset|color|accent-1', text: 'var:preset|color|base' },
          border: { radius: '100px' },
          ':hover': { color: { background: 'var:preset|color|contrast', text: 'var:preset|color|base' } },
        },
      },
      blocks: {
        'core/site-title': { typography: { fontFamily: 'var:preset|font-family|vollkorn', fontWeight: '600' } },
        'core/post-title': { elements: { link: { typography: { textDecoration: 'none' } } } },
      },
    },
  },
};
