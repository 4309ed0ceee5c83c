import { all, dynamic, group, image, line, p, part, row } from './blocks.ts';
import { pictures } from './blog-pictures.ts';
import { posts } from './blog-posts.ts';
import { FOOTER_AT_ONCE, family, palette, type SiteDraft } from './site.ts';

const POST_META = row(
  { gap: '20', text: 'accent-4', size: 'small', layout: { justifyContent: 'left' } },
  dynamic('post-terms', { term: 'category' }),
  dynamic('post-date'),
);

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
  pictures,
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
      css: FOOTER_AT_ONCE,
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
