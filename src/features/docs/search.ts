import MiniSearch from 'minisearch';

/** What can be found: a section of a page. */
export interface Entry {
  /** What the page is called. */
  title: string;
  /** What the section is called; empty for the beginning of a page. */
  heading: string;
  /** Below /docs, with the section after the #. */
  address: string;
  text: string;
  /** Above 1 for what is meant to be read before the rest. */
  weight?: number;
}

export interface Found {
  title: string;
  heading: string;
  address: string;
  /** The sentence or two of the section that say most of what was asked for. */
  excerpt: string;
}

const EXCERPT_LENGTH = 180;
const WORDS_LENGTH = 200;
/** They are in every question and say nothing. */
const EMPTY_WORDS = new Set(
  'a an and are as at be by can do does for from how i if in into is it its me my of on or so that the then there this to was we what when where which who why will with you your'.split(
    ' ',
  ),
);

/** A full-text index (BM25+, by MiniSearch) over sections: by the beginnings of words too, and with a letter or two that are wrong. */
export class SearchIndex {
  readonly #entries: readonly Entry[];
  readonly #index: MiniSearch;

  constructor(entries: readonly Entry[]) {
    this.#entries = entries;
    this.#index = new MiniSearch({
      fields: ['heading', 'title', 'text'],
      processTerm: stem,
      searchOptions: {
        boostDocument: (id) => this.#entries[id as number]?.weight ?? 1,
        boost: { heading: 3, title: 2 },
        prefix: (term) => term.length > 2,
        fuzzy: fuzziness,
      },
    });
    this.#index.addAll(entries.map((entry, id) => ({ id, ...entry })));
  }

  /** The best first: what is called so, then sections with all the words, then those with some. */
  search(words: string, limit: number): Found[] {
    const asked = words.slice(0, WORDS_LENGTH);
    const all = this.#index.search(asked, { combineWith: 'AND' });
    const some = all.length >= limit ? [] : this.#index.search(asked);
    const name = asked.trim().toLowerCase();
    const called = [...all, ...some].filter(({ id }) => this.#entries[id]?.heading.toLowerCase() === name);
    const results = [...new Map([...called, ...all, ...some].map((result) => [result.id, result])).values()];
    return results.slice(0, limit).map(({ id, terms }) => {
      const { title, heading, address, text } = this.#entries[id] as Entry;
      return { title, heading, address, excerpt: excerptOf(text, terms) };
    });
  }
}

/** Plurals and the other simple endings, so that "restored backups" finds "restore a backup". */
function stem(term: string): string | null {
  const word = term.toLowerCase();
  if (EMPTY_WORDS.has(word)) return null;
  if (word.length < 4) return word;
  return word
    .replace(/(?<=..)ies$/, 'y')
    .replace(/(?<=[^s])s$/, '')
    .replace(/(?<=....)(?:ing|ed)$/, '')
    .replace(/(?<=...)e$/, '');
}

/** Two letters that changed places are two that are wrong. */
function fuzziness(term: string): number | false {
  if (term.length < 5) return false;
  return term.length < 6 ? 1 : 2;
}

function excerptOf(text: string, terms: readonly string[]): string {
  if (text.length <= EXCERPT_LENGTH) return text;
  const lower = text.toLowerCase();
  const places = terms.map((term) => lower.indexOf(term)).filter((place) => place >= 0);
  const first = places.length > 0 ? Math.min(...places) : 0;
  // From the beginning of the sentence where that is near, so that it can be read.
  const sentence = text.lastIndexOf('. ', first);
  const from =
    first < EXCERPT_LENGTH / 2
      ? 0
      : sentence >= 0 && first - sentence < 90
        ? sentence + 2
        : text.lastIndexOf(' ', first - 40) + 1;
  const cut = text.slice(from, from + EXCERPT_LENGTH);
  const isWhole = from + EXCERPT_LENGTH >= text.length;
  return `${from > 0 ? '… ' : ''}${isWhole ? cut : `${cut.slice(0, cut.lastIndexOf(' '))} …`}`;
}
