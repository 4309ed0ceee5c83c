import { escapeHtml } from '#core/escape-html.ts';
import type { DocsPage } from '#core/http/front-end.ts';
import { capitalise, toSlug } from './html.ts';

/** What is around every page: the groups of pages that there are. */
export interface Around {
  groups: readonly { group: string; pages: readonly { title: string; path: string }[] }[];
}

interface Content {
  path: string;
  title: string;
  /** HTML below the title. */
  lead: string;
  description: string;
  html: string;
  toc: readonly { heading: string; anchor: string; level: number }[];
  kind: 'guide' | 'reference' | 'list';
}

export function aroundOf(
  guides: readonly { group: string; title: string; slug: string }[],
  tags: readonly string[],
): Around {
  const groups = [...Map.groupBy(guides, ({ group }) => group)].map(([group, list]) => ({
    group,
    pages: list.map(({ title, slug }) => ({ title, path: `/docs/${slug}` })),
  }));
  const reference = [
    { title: 'All operations', path: '/docs/reference' },
    ...tags.map((tag) => ({ title: capitalise(tag), path: `/docs/reference/${toSlug(tag)}` })),
    { title: 'Objects', path: '/docs/reference/objects' },
    { title: 'Errors', path: '/docs/errors' },
  ];
  return { groups: [...groups, { group: 'Reference', pages: reference }] };
}

/** A page with all that is around it. */
export function layOut(around: Around, content: Content): DocsPage {
  const { path, title, lead, description, html, kind } = content;
  const toc = tocHtml(content.toc);
  const body =
    `${headerHtml(around, path)}<div class="frame k-${kind}"><nav class="side" aria-label="Pages">${navHtml(around, path)}</nav>` +
    `<main id="main" tabindex="-1"><article><header class="head"><p class="group">${escapeHtml(groupOf(around, path))}</p>` +
    `<h1>${escapeHtml(title)}</h1>${lead ? `<p class="lead">${lead}</p>` : ''}</header>` +
    `${toc && `<details class="toc-small"><summary>On this page</summary>${toc}</details>`}${html}</article>` +
    `${kind === 'guide' ? besideHtml(around, path) : ''}</main>` +
    `${toc && `<aside class="toc" aria-label="On this page"><p class="group">On this page</p>${toc}</aside>`}</div>`;
  return { title: `${title} · Siteyard docs`, description, body };
}

export function headerHtml(around: Around, path: string, words = ''): string {
  return (
    '<a class="skip" href="#main">Skip to content</a><header class="top">' +
    `<details class="menu"><summary aria-label="Menu">${MENU}</summary><nav aria-label="Menu">${navHtml(around, path)}</nav></details>` +
    `<a class="brand" href="/docs" aria-label="Siteyard docs">${LOGO}<b>Siteyard</b> <span>Docs</span></a>` +
    '<form class="find" role="search" action="/docs/search"><label><span class="hidden">Search the docs</span>' +
    `${LENS}<input type="search" name="q" placeholder="Search" autocomplete="off" maxlength="200" value="${escapeHtml(words)}"></label>` +
    '<kbd hidden>/</kbd><div class="found" hidden></div></form>' +
    '<nav class="links" aria-label="Elsewhere"><a href="/docs/reference">Reference</a><a href="/">Dashboard</a></nav>' +
    `<button type="button" class="theme" aria-label="Light or dark" hidden>${HALF}</button></header>`
  );
}

/** Whoever reads the reference finds that first. */
function navHtml({ groups }: Around, path: string): string {
  const [reference] = groups.slice(-1);
  const isReference = reference?.pages.some((page) => page.path === path);
  const ordered = isReference && reference ? [reference, ...groups.slice(0, -1)] : groups;
  const lists = ordered.map(({ group, pages }) => {
    const rows = pages.map((page) => {
      const current = page.path === path ? ' aria-current="page"' : '';
      return `<li><a href="${page.path}"${current}>${escapeHtml(page.title)}</a></li>`;
    });
    return `<p class="group">${escapeHtml(group)}</p><ul>${rows.join('')}</ul>`;
  });
  return lists.join('');
}

function groupOf({ groups }: Around, path: string): string {
  return groups.find(({ pages }) => pages.some((page) => page.path === path))?.group ?? 'Reference';
}

function tocHtml(toc: Content['toc']): string {
  const rows = toc
    .filter(({ anchor, level }) => anchor && level <= 3)
    .map(({ heading, anchor, level }) => `<li class="l${level}"><a href="#${anchor}">${escapeHtml(heading)}</a></li>`);
  return rows.length > 1 ? `<ul>${rows.join('')}</ul>` : '';
}

/** The page before and the one after, among the guides. */
function besideHtml({ groups }: Around, path: string): string {
  const pages = groups.slice(0, -1).flatMap((group) => group.pages);
  const at = pages.findIndex((page) => page.path === path);
  const link = (page: (typeof pages)[number] | undefined, word: string) =>
    page
      ? `<a class="${word.toLowerCase()}" href="${page.path}"><span>${word}</span><b>${escapeHtml(page.title)}</b></a>`
      : '';
  return `<nav class="beside" aria-label="Before and after">${link(pages[at - 1], 'Previous')}${link(pages[at + 1], 'Next')}</nav>`;
}

const icon = (path: string): string => `<svg viewBox="0 0 24 24" aria-hidden="true">${path}</svg>`;
const MENU = icon('<path d="M4 6h16M4 12h16M4 18h16"/>');
const LENS = icon('<circle cx="11" cy="11" r="7"/><path d="m20 20-4-4"/>');
const HALF = icon('<circle cx="12" cy="12" r="8"/><path class="full" d="M12 4a8 8 0 0 1 0 16z"/>');
const LOGO =
  '<svg viewBox="0 0 32 32" aria-hidden="true" class="logo"><rect width="32" height="32" rx="8"/><g>' +
  '<rect x="7" y="7" width="11" height="8" rx="2"/><rect x="20" y="7" width="5" height="8" rx="2" opacity=".55"/>' +
  '<rect x="7" y="17" width="5" height="8" rx="2" opacity=".55"/><rect x="14" y="17" width="11" height="8" rx="2"/></g></svg>';
