import { type UseQueryOptions, useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { Listing } from '../../layout/listing.tsx';
import { Section } from '../../ui/card.tsx';
import { Empty } from '../../ui/empty.tsx';
import { SearchIcon } from '../../ui/icons.ts';
import { SearchInput } from '../../ui/search-input.tsx';
import { useSearchText } from '../../ui/use-settled.ts';

type Page<T> = {
  count: number;
  limit: number;
  offset: number;
  next: string | null;
  previous: string | null;
  results: T[];
};
type SearchedSectionProps<T, Key extends readonly unknown[]> = {
  title: string;
  label: string;
  queryOf: (filter: { search?: string }, page: number) => UseQueryOptions<Page<T>, Error, Page<T>, Key>;
  children: (rows: T[]) => ReactNode;
};

/** A list of the whole platform, by pages, that is searched by a part of a name. */
export function SearchedSection<T, Key extends readonly unknown[]>({
  title,
  label,
  queryOf,
  children,
}: SearchedSectionProps<T, Key>) {
  const [text, setText] = useState('');
  const [page, setPage] = useState(1);
  const search = useSearchText(text);
  const query = useQuery(queryOf(search ? { search } : {}, page));
  const count = query.data?.count;
  const change = (next: string) => {
    setText(next);
    setPage(1);
  };
  return (
    <Section
      title={count === undefined ? title : `${title} (${count.toLocaleString('en')})`}
      action={<SearchInput label={label} value={text} onChange={change} className="w-full sm:w-80" />}
      flush
    >
      <Listing query={query} onPage={setPage} empty={<Empty icon={<SearchIcon />} title="Nothing has this name" />}>
        {children}
      </Listing>
    </Section>
  );
}
