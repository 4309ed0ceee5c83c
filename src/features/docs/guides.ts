import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { GUIDE_LIST } from './guide-list.ts';
import { renderMarkdown, type Section } from './markdown.ts';

const FOLDER = join(import.meta.dirname, '../../../docs/guides');

export interface Guide {
  slug: string;
  group: string;
  title: string;
  /** Its first paragraph, as plain text. */
  description: string;
  html: string;
  /** The part before the first heading is the first one, without an anchor. */
  sections: Section[];
}

let loaded: Promise<Guide[]> | undefined;

/** All guides, read and rendered for whoever asks first. */
export function loadGuides(): Promise<Guide[]> {
  loaded ??= Promise.all(
    GUIDE_LIST.flatMap(({ group, slugs }) =>
      slugs.map(async (slug) => toGuide(slug, group, await readFile(join(FOLDER, `${slug}.md`), 'utf8'))),
    ),
  ).catch((error) => {
    loaded = undefined;
    throw error;
  });
  return loaded;
}

function toGuide(slug: string, group: string, source: string): Guide {
  const { title, description, html, sections } = renderMarkdown(source);
  return { slug, group, title, description, html, sections };
}
