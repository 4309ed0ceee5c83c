import type { ReactNode } from 'react';
import { Listing } from '../../layout/listing.tsx';
import { Section } from '../../ui/card.tsx';
import { Empty } from '../../ui/empty.tsx';
import { SearchIcon } from '../../ui/icons.ts';
import { SearchInput } from '../../ui/search-input.tsx';

type Page<T> = { count: number; limit: number; offset: number; results: T[] };
type SearchedSectionProps<T> = {
  title: string;
  label: string;
  text: string;
  onText: (text: string) => void;
  query: { data: Page<T> | undefined; error: unknown; refetch: () => unknown };
  onPage: (page: number) => void;
  children: (rows: T[]) => ReactNode;
};

/** A list of the whole platform, by pages, that is searched by a part of a name. */
export function SearchedSection<T>({ title, label, text, onText, query, onPage, children }: SearchedSectionProps<T>) {
  const count = query.data?.count;
  return (
    <Section
      title={count === undefined ? title : `${title} (${count.toLocaleString('en')})`}
      action={<SearchInput label={label} value={text} onChange={onText} className="w-full sm:w-80" />}
      flush
    >
      <Listing query={query} onPage={onPage} empty={<Empty icon={<SearchIcon />} title="Nothing has this name" />}>
        {children}
      </Listing>
    </Section>
  );
}
