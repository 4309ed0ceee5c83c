import type { ReactNode } from 'react';
import { Pager } from '../ui/pager.tsx';
import { Loaded } from './loaded.tsx';

type PageOf<T> = { count: number; limit: number; offset: number; results: T[] };

type ListingProps<T> = {
  query: { data: PageOf<T> | undefined; error: unknown; refetch: () => unknown };
  /** What stands in the place of the rows when there is none. */
  empty: ReactNode;
  onPage: (page: number) => void;
  loading?: ReactNode;
  children: (rows: T[]) => ReactNode;
};

/** One page of records, in each of its states, with the way to the other pages below. */
export function Listing<T>({ query, empty, onPage, loading, children }: ListingProps<T>) {
  return (
    <Loaded query={query} loading={loading}>
      {(page) => (
        <>
          {page.results.length > 0 ? children(page.results) : empty}
          <Pager page={page} onPage={onPage} />
        </>
      )}
    </Loaded>
  );
}
