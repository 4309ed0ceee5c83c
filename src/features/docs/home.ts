import { escapeHtml } from '#core/escape-html.ts';
import type { DocsPage } from '#core/http/front-end.ts';
import type { Guide } from './guides.ts';
import { type Around, headerHtml } from './layout.ts';
import type { Found } from './search.ts';

/** Where the docs begin: what there is, at a glance. */
export function homePage(guides: readonly Guide[], around: Around): DocsPage {
  const groups = [...Map.groupBy(guides, ({ group }) => group)].map(([group, list]) => {
    const cards = list.map(
      ({ slug, title, description }) =>
        `<li><a href="/docs/${slug}"><b>${escapeHtml(title)}</b><span>${escapeHtml(firstSentence(description))}</span></a></li>`,
    );
    return `<section><h2>${escapeHtml(group)}</h2><ul class="cards">${cards.join('')}</ul></section>`;
  });
  const body =
    `${headerHtml(around, '/docs')}<main id="main" tabindex="-1" class="home"><header class="hero"><h1>Siteyard documentation</h1>` +
    '<p class="lead">Managed WordPress with a time machine: create sites in seconds, change them without fear, and automate all of it.</p>' +
    '<p class="starts"><a class="button" href="/docs/first-site">Create your first site</a><a class="button quiet" href="/docs/reference">API reference</a></p></header>' +
    `${groups.join('')}</main>`;
  return { title: 'Siteyard docs', description: 'Guides and reference for Siteyard.', body };
}

const firstSentence = (text: string): string => /^.*?[.](?=\s|$)/.exec(text)?.[0] ?? text;

/** The page for an unknown address, with what its last words find. */
export function notFoundPage(words: string, found: readonly Found[], around: Around): DocsPage {
  const lead =
    found.length > 0 ? 'There is no page at this address. These come close:' : 'There is no page at this address.';
  const body =
    `${headerHtml(around, '/docs/search', words)}<main id="main" tabindex="-1" class="home results"><h1>Page not found</h1>` +
    `<p class="lead">${lead}</p>${resultsHtml(found)}<p><a href="/docs">Go to the start of the docs</a></p></main>`;
  return { title: 'Page not found · Siteyard docs', description: 'There is no page at this address.', body };
}

function resultsHtml(found: readonly Found[]): string {
  const rows = found.map(
    ({ title, heading, address, excerpt }) =>
      `<li><a href="${address}"><b>${escapeHtml(heading || title)}</b></a><span class="type">${escapeHtml(heading ? title : '')}</span><p>${escapeHtml(excerpt)}</p></li>`,
  );
  return `<ol>${rows.join('')}</ol>`;
}

export function searchPage(words: string, found: readonly Found[], around: Around): DocsPage {
  const said =
    words.trim() === ''
      ? 'Type what you are looking for.'
      : found.length > 0
        ? ''
        : `Nothing says “${escapeHtml(words)}”. Try another word.`;
  const body =
    `${headerHtml(around, '/docs/search', words)}<main id="main" tabindex="-1" class="home results"><h1>${words.trim() ? `Results for “${escapeHtml(words)}”` : 'Search'}</h1>` +
    `${said && `<p class="lead">${said}</p>`}${resultsHtml(found)}</main>`;
  return { title: 'Search · Siteyard docs', description: 'Search the Siteyard docs.', body };
}
