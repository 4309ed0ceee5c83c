import { declaredFailures } from '#core/errors.ts';
import { failuresOf } from '#core/http/declared.ts';
import { strongestEffect } from '#core/http/effects.ts';
import type { DocsPage } from '#core/http/front-end.ts';
import { describeApi } from '#core/http/openapi.ts';
import type { Operation } from '#core/http/operation.ts';
import type { ApiDocument } from './api-document.ts';
import { entriesOf } from './docs.ts';
import { errorCodes, errorEntries, errorsPage } from './errors-page.ts';
import { type Guide, loadGuides } from './guides.ts';
import { homePage, notFoundPage, searchPage } from './home.ts';
import { type Around, aroundOf, layOut } from './layout.ts';
import { referenceEntries, referencePages } from './reference.ts';
import { type Found, SearchIndex } from './search.ts';

const MOST_NEAR = 5;

/** The whole of the docs, as one start of the service has them. */
export class Docs {
  readonly #pages: ReadonlyMap<string, DocsPage>;
  readonly #index: SearchIndex;
  readonly #around: Around;

  private constructor(pages: ReadonlyMap<string, DocsPage>, index: SearchIndex, around: Around) {
    this.#pages = pages;
    this.#index = index;
    this.#around = around;
  }

  static async make(operations: readonly Operation[], baseUrl: string): Promise<Docs> {
    const api = describeApi(operations, baseUrl) as unknown as ApiDocument;
    const guides = await loadGuides();
    const around = aroundOf(
      guides,
      api.tags.map(({ name }) => name),
    );
    const declared = operations.map((each) => ({ id: each.id, tag: each.tag, failures: failuresOf(each) }));
    const codes = errorCodes(declared, declaredFailures());
    const about = new Map(
      operations.map((each) => [
        each.id,
        { failures: failuresOf(each), effect: strongestEffect(each), goesOn: each.goesOn === true },
      ]),
    );
    const pages = new Map([
      ['/docs', homePage(guides, around)],
      ...guides.map((guide): [string, DocsPage] => [`/docs/${guide.slug}`, guidePage(guide, around)]),
      ['/docs/errors', errorsPage(codes, operations.length, around)],
      ...referencePages(api, about, around),
    ]);
    const entries = [...guides.flatMap(entriesOf), ...referenceEntries(api), ...errorEntries(codes)];
    return new Docs(pages, new SearchIndex(entries), around);
  }

  page(path: string): DocsPage | undefined {
    return this.#pages.get(path);
  }

  /** Renders the page for an unknown URL. */
  missingPage(path: string): DocsPage {
    const words = (path.split('/').at(-1) ?? '').replaceAll(/[^a-zA-Z0-9]+/g, ' ').slice(0, 100);
    return notFoundPage(words, this.#index.search(words, MOST_NEAR), this.#around);
  }

  search(words: string, limit: number): Found[] {
    return this.#index.search(words, limit);
  }

  searchPage(words: string, found: readonly Found[]): DocsPage {
    return searchPage(words, found, this.#around);
  }
}

function guidePage({ slug, title, description, html, sections }: Guide, around: Around): DocsPage {
  return layOut(around, { path: `/docs/${slug}`, title, lead: '', description, html, toc: sections, kind: 'guide' });
}
