import { escapeHtml } from '#core/escape-html.ts';
import type { DocsPage } from '#core/http/front-end.ts';
import { type ApiDocument, type Described, operationsIn } from './api-document.ts';
import { capitalise, inline, toSlug, toWords } from './html.ts';
import { type Around, layOut } from './layout.ts';
import { type About, badge, operationHtml } from './operation-html.ts';
import { fieldsHtml } from './schema-html.ts';
import type { Entry } from './search.ts';

/** Every operation under its short name: a page for each tag, one with the objects, and one that leads to all. */
export function referencePages(
  api: ApiDocument,
  about: ReadonlyMap<string, About>,
  around: Around,
): Map<string, DocsPage> {
  const byTag = Map.groupBy(operationsIn(api), ({ tags }) => tags[0] as string);
  const pages = [...byTag].map(([tag, operations]): [string, DocsPage] => {
    const path = `/docs/reference/${toSlug(tag)}`;
    const toc = operations.map(({ operationId }) => ({ heading: toWords(operationId), anchor: operationId, level: 2 }));
    const html = `<div class="own" hidden></div>${operations.map((each) => operationHtml(api, each, about.get(each.operationId) as About)).join('')}`;
    const title = capitalise(tag);
    const description = `${operations.length} operations: ${operations.map(({ operationId }) => operationId).join(', ')}.`;
    return [path, layOut(around, { path, title, lead: LEADS[tag] ?? '', description, html, toc, kind: 'reference' })];
  });
  return new Map([...pages, indexPage(byTag, around), objectsPage(api, around)]);
}

export function referenceEntries(api: ApiDocument): Entry[] {
  return operationsIn(api).map(({ operationId, tags, summary, path, method }) => ({
    title: `Reference: ${tags[0]}`,
    heading: toWords(operationId),
    address: `/docs/reference/${toSlug(tags[0] as string)}#${operationId}`,
    text: `${summary}. ${operationId}, ${method} ${path}`,
  }));
}

const LEADS: Record<string, string> = {
  credentials: 'Signing in, and tokens and keys for programs.',
  operators: 'For whoever runs the platform.',
};

function indexPage(byTag: Map<string, Described[]>, around: Around): [string, DocsPage] {
  const path = '/docs/reference';
  const groups = [...byTag].map(([tag, operations]) => {
    const address = `/docs/reference/${toSlug(tag)}`;
    const rows = operations.map(
      ({ operationId, method, summary }) =>
        `<li><a href="${address}#${operationId}">${badge(method)}<b>${escapeHtml(toWords(operationId))}</b></a><span>${inline(summary)}</span></li>`,
    );
    return `<section><h2 id="${toSlug(tag)}"><a class="anchor" href="${address}">${escapeHtml(capitalise(tag))}</a></h2><ul class="operations">${rows.join('')}</ul></section>`;
  });
  const lead =
    'Every operation of the API, from the declarations that the service itself checks requests with. The same as a file: <a href="/openapi.json">openapi.json</a> (OpenAPI 3.1). New here? Begin with <a href="/docs/api">the API guide</a>.';
  const toc = [...byTag.keys()].map((tag) => ({ heading: capitalise(tag), anchor: toSlug(tag), level: 2 }));
  const description = 'Every operation of the Siteyard API.';
  return [
    path,
    layOut(around, { path, title: 'API reference', lead, description, html: groups.join(''), toc, kind: 'reference' }),
  ];
}

function objectsPage(api: ApiDocument, around: Around): [string, DocsPage] {
  const path = '/docs/reference/objects';
  const schemas = Object.entries(api.components.schemas).sort(([a], [b]) => a.localeCompare(b));
  const html = schemas.map(
    ([name, schema]) =>
      `<section class="object"><h2 id="${name}"><a class="anchor" href="#${name}">${escapeHtml(name)}</a></h2>` +
      `${schema.description ? `<p>${inline(schema.description)}</p>` : ''}${fieldsHtml(api, schema, false)}</section>`,
  );
  const toc = schemas.map(([name]) => ({ heading: name, anchor: name, level: 2 }));
  const lead = 'What operations answer with, field by field.';
  return [
    path,
    layOut(around, { path, title: 'Objects', lead, description: lead, html: html.join(''), toc, kind: 'reference' }),
  ];
}
