import { type Guide, loadGuides } from './guides.ts';
import { type Entry, type Found, SearchIndex } from './search.ts';

export type { Found } from './search.ts';

/** Whoever searches would rather read how to do it than how it is called. */
const GUIDE_WEIGHT = 3;

let index: SearchIndex | undefined;

/** The sections of our guides that say most about these words, the best first. */
export async function searchGuides(words: string, limit: number): Promise<Found[]> {
  const guides = await loadGuides();
  index ??= new SearchIndex(guides.flatMap(entriesOf));
  return index.search(words, limit);
}

export function entriesOf({ slug, title, sections }: Guide): Entry[] {
  return sections.map(({ heading, anchor, text }) => ({
    title,
    heading,
    address: anchor ? `/docs/${slug}#${anchor}` : `/docs/${slug}`,
    text,
    weight: GUIDE_WEIGHT,
  }));
}
