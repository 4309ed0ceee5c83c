import { arcs, bottles, portrait, stacked, tiles, waves } from './art.ts';
import { all, buttons, column, columns, dynamic, group, h, image, list, p, part, row } from './blocks.ts';
import { posts } from './portfolio-projects.ts';
import { HEIGHT, WIDTH } from './shapes.ts';
import { FOOTER_AT_ONCE, family, palette, type SiteDraft } from './site.ts';

const wide = { width: WIDTH, height: HEIGHT };

const query = {
  perPage: 12,
  offset: 0,
  pages: 0,
  postType: 'post',
  order: 'desc',
  orderBy: 'date',
  author: '',
  search: '',
  exclude: [],
  sticky: '',
  inherit: false,
};
const tile = group(
  { gap: '20', layout: { type: 'default' } },
  dynamic('post-featured-image', { isLink: true, aspectRatio: '4/3' }),
  row(
    { layout: { flexWrap: 'nowrap' } },
    dynamic('post-title', { isLink: true, level: 3, fontSize: 'large' }),
    dynamic('post-terms', { term: 'category', fontSize: 'small', textColor: 'accent-4' }),
  ),
);
const gridOf = (queryId: number, inherit: boolean) =>
  dynamic(
    'query',
    { queryId, query: { ...query, inherit }, align: 'wide' },
    `<div class="wp-block-query alignwide">${dynamic('post-template', { style: { spacing: { blockGap: 'var:preset|spacing|50' } }, layout: { type: 'grid', columnCount: 2, minimumColumnWidth: '22rem' } }, tile)}</div>`,
  );
const frame = (...inner: string[]) =>
  all(part('header'), group({ tag: 'main', padding: '50' }, ...inner), part('footer'));
const HUGE = {
  typography: {
    fontSize: 'clamp(2.6rem, 7.4vw, 6.6rem)',
    lineHeight: '0.98',
    letterSpacing: '-0.045em',
    fontWeight: '600',
  },
};

export const portfolio: SiteDraft = {
  name: 'portfolio',
  title: 'Mira Lindqvist',
  tagline: 'Graphic design and art direction',
  readme:
    'A dark portfolio with large type: projects in two columns, a page for each of them, a page about its maker and one to write to them.',
  pictures: [
    {
      slug: 'kvarter',
      alt: 'Posters of coloured tiles',
      ...wide,
      svg: tiles(4, ['#f3f1ec', '#d7ff5e', '#ff6a3d', '#2b2d33', '#8f7bff']),
    },
    {
      slug: 'kvarter-wall',
      alt: 'A wall of tiles in earth colours',
      ...wide,
      svg: tiles(17, ['#e9d8c3', '#b6613a', '#5a3325', '#d99a5b', '#f3f1ec'], [8, 5]),
    },
    {
      slug: 'bottles',
      alt: 'Five bottles on a shelf',
      ...wide,
      svg: bottles('#e8ddd0', '#cdb8a0', ['#c2452d', '#e9a23b', '#5c7c4a', '#7a4a6d', '#2f5d73']),
    },
    {
      slug: 'still-lines',
      alt: 'Bands of warm colours',
      ...wide,
      svg: waves('#f3e7d3', ['#c2452d', '#e9a23b', '#f3f1ec', '#5c7c4a', '#7a4a6d']),
    },
    {
      slug: 'waves',
      alt: 'A sea of blue bands',
      ...wide,
      svg: waves('#0b1430', ['#132a63', '#1f47a3', '#3f7be0', '#86b6ff', '#dce9ff', '#ff6a3d', '#3f7be0']),
    },
    {
      slug: 'stacked',
      alt: 'Stacked cubes in three colours',
      ...wide,
      svg: stacked('#8f7bff', ['#f3f1ec', '#d7ff5e', '#1b1c20', '#ff6a3d', '#cfc6ff']),
    },
    {
      slug: 'rings',
      alt: 'Rings like a rising sun',
      ...wide,
      svg: arcs('#16171a', ['#3a1c12', '#7a2f17', '#c2452d', '#ff6a3d', '#ffab6b', '#ffe0b8', '#f3f1ec'], [800, 1067]),
    },
    {
      slug: 'mira',
      alt: 'A drawing of Mira Lindqvist',
      width: 900,
      height: 1100,
      svg: portrait('#d7ff5e', { hair: '#1b1c20', skin: '#e8b08c', coat: '#8f7bff' }),
    },
  ],
  categories: [
    { slug: 'identity', name: 'Identity', description: 'Signs, types and what holds them together' },
    { slug: 'packaging', name: 'Packaging', description: 'Things that hold things' },
    { slug: 'album', name: 'Album', description: 'For music' },
    { slug: 'exhibition', name: 'Exhibition', description: 'Rooms to walk through' },
    { slug: 'editorial', name: 'Editorial', description: 'Pages in an order' },
  ],
  pages: [
    {
      slug: 'about',
      title: 'About',
      content: (site) =>
        columns(
          { align: 'wide', gap: '60' },
          column('42%', false, image(site.picture('mira'), { ratio: '4/5' })),
          column(
            '58%',
            false,
            h(2, 'I make things look like what they are. It takes longer than making them look like something else.', {
              size: 'xx-large',
            }),
            p(
              'After eight years in studios in Malmö and Lisbon I work on my own, mostly with museums, publishers and people who make food. I like small budgets, long friendships and the second proof.',
            ),
            h(3, 'On the wall', { size: 'large' }),
            list(
              '2026 &mdash; Guest professor, school of design, Bergen',
              '2025 &mdash; Hundred best posters, twice',
              '2023 &mdash; Fellow of the paper museum',
              '2016 &mdash; Diploma in visual communication',
            ),
          ),
        ),
    },
    {
      slug: 'contact',
      title: 'Contact',
      content: () =>
        all(
          h(2, 'Tell me what it is for, and who will hold it in their hands. I answer within two days.', {
            size: 'xx-large',
          }),
          p('<a href="mailto:hello@example.com">hello@example.com</a>', { size: 'x-large' }),
          p('Studio Lindqvist<br>Harbour Street 12, second floor<br>Come by on Thursdays', { text: 'accent-4' }),
        ),
    },
  ],
  posts,
  templates: {
    home: () =>
      frame(
        group(
          { align: 'wide', padding: '50', layout: { type: 'default' } },
          `<!-- wp:heading ${JSON.stringify({ level: 1, style: HUGE })} -->\n<h1 class="wp-block-heading" style="font-size:${HUGE.typography.fontSize};font-weight:600;letter-spacing:-0.045em;line-height:0.98">Design that says one thing, and means it.</h1>\n<!-- /wp:heading -->`,
          p('Identities, packaging and exhibitions for people who care about the details that nobody mentions.', {
            text: 'accent-4',
            size: 'x-large',
          }),
        ),
        gridOf(1, false),
      ),
    archive: () =>
      frame(
        dynamic('query-title', { type: 'archive', showPrefix: false, align: 'wide', fontSize: 'xx-large' }),
        gridOf(2, true),
      ),
    single: () =>
      frame(
        group(
          { align: 'wide', layout: { type: 'default' }, gap: '30' },
          row(
            {},
            dynamic('post-terms', { term: 'category', fontSize: 'small', textColor: 'accent-1' }),
            dynamic('post-date', { format: 'Y', fontSize: 'small', textColor: 'accent-4' }),
          ),
          dynamic('post-title', { level: 1, style: HUGE }),
        ),
        dynamic('post-featured-image', { align: 'wide', aspectRatio: '16/9' }),
        dynamic('post-content', { align: 'full', layout: { type: 'constrained' } }),
        row(
          { align: 'wide', padding: '50' },
          dynamic('post-navigation-link', { type: 'previous', showTitle: true, label: 'Earlier' }),
          dynamic('post-navigation-link', { showTitle: true, label: 'Later' }),
        ),
      ),
    page: () =>
      frame(
        dynamic('post-title', { level: 1, align: 'wide', style: HUGE }),
        dynamic('post-content', { align: 'full', layout: { type: 'constrained' } }),
      ),
  },
  header: ({ menu }) =>
    group(
      { align: 'full', padding: '30' },
      row(
        { align: 'wide' },
        dynamic('site-title', { level: 0, fontSize: 'large' }),
        dynamic('navigation', {
          ref: menu,
          overlayBackgroundColor: 'base',
          overlayTextColor: 'contrast',
          fontSize: 'medium',
          layout: { type: 'flex', justifyContent: 'right' },
        }),
      ),
    ),
  footer: (site) =>
    group(
      { align: 'full', background: 'accent-1', text: 'base', padding: '60' },
      row(
        { align: 'wide' },
        h(2, 'Something in mind?', { size: 'xx-large' }),
        buttons([{ label: 'Write to me', url: site.page('contact') }]),
      ),
    ),
  menu: [
    { label: 'Work', page: '' },
    { label: 'About', page: 'about' },
    { label: 'Contact', page: 'contact' },
  ],
  styles: {
    settings: {
      color: palette('#111214', '#F3F1EC', '#D7FF5E', '#8F7BFF', '#FF6A3D', '#A3A29D', '#1B1C20'),
      typography: {
        fontFamilies: {
          theme: [
            family('Manrope', 'sans-serif', [{ file: 'manrope/Manrope-VariableFont_wght.woff2', weight: '200 800' }]),
          ],
        },
      },
    },
    styles: {
      css: FOOTER_AT_ONCE,
      typography: { fontFamily: 'var:preset|font-family|manrope', fontWeight: '400', lineHeight: '1.55' },
      elements: {
        heading: { typography: { fontWeight: '600', letterSpacing: '-0.03em' } },
        link: { color: { text: 'currentColor' } },
        button: {
          color: { background: 'var:preset|color|base', text: 'var:preset|color|contrast' },
          border: { radius: '100px' },
          ':hover': { color: { background: 'var:preset|color|accent-5', text: 'var:preset|color|contrast' } },
        },
      },
      blocks: {
        'core/site-title': { typography: { fontWeight: '700', letterSpacing: '-0.03em' } },
        'core/post-title': { elements: { link: { typography: { textDecoration: 'none' } } } },
        'core/post-terms': { elements: { link: { typography: { textDecoration: 'none' } } } },
      },
    },
  },
};
