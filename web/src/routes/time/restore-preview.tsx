import { type UseInfiniteQueryResult, useInfiniteQuery } from '@tanstack/react-query';
import type { PitPreview, Site } from '#sdk';
import { Loaded } from '../../layout/loaded.tsx';
import { Button } from '../../ui/button.tsx';
import { Figures } from '../../ui/figures.tsx';
import { formatCount } from '../../ui/format.ts';
import { Spinner } from '../../ui/spinner.tsx';
import { useSettled } from '../../ui/use-settled.ts';
import { ChangeList } from './change-list.tsx';
import { type RestoreWish, restorePreviewQuery } from './time-queries.ts';

/** What a restore would change, as soon as somebody stays at a minute. */
export function RestorePreview({ site, wish }: { site: Site; wish: RestoreWish }) {
  const settled = useSettled(wish);
  const isBusy = site.busy !== null;
  const enabled = settled !== undefined && !isBusy;
  const query = useInfiniteQuery({ ...restorePreviewQuery(site.fqdn, wish), enabled });
  // What is being looked at again may have been undone, restored or changed since.
  const isComparing = query.isFetching && !query.isFetchingNextPage;
  const pages = isComparing || isBusy ? undefined : query.data?.pages;
  return (
    <section aria-label="What a restore would change" className="min-w-0">
      <Loaded
        query={{ ...query, data: pages, error: isBusy ? null : query.error }}
        loading={<Comparing isBusy={isBusy} />}
      >
        {([first, ...others]) =>
          first && (
            <>
              <Counters preview={first} />
              <ChangeList
                place={{ fqdn: site.fqdn, stage: wish.for_stage_site === true }}
                total={totalOf(first)}
                tables={[first, ...others].flatMap(({ changes }) => changes.tables)}
                files={[first, ...others].flatMap(({ changes }) => changes.files)}
                more={query.hasNextPage && <MoreButton query={query} />}
              />
            </>
          )
        }
      </Loaded>
    </section>
  );
}

function totalOf(preview: PitPreview) {
  const sum = (...counters: (number | null)[]) => counters.reduce<number>((all, counter) => all + (counter ?? 0), 0);
  return {
    tables: sum(preview.num_tables_restored, preview.num_tables_deleted, preview.num_tables_failed),
    files: sum(preview.num_files_added, preview.num_files_restored, preview.num_files_deleted),
  };
}

function MoreButton({ query }: { query: Pick<UseInfiniteQueryResult, 'isFetchingNextPage' | 'fetchNextPage'> }) {
  return (
    <Button
      variant="secondary"
      className="justify-self-center"
      pending={query.isFetchingNextPage}
      onClick={() => void query.fetchNextPage()}
    >
      Show more
    </Button>
  );
}

function Comparing({ isBusy }: { isBusy: boolean }) {
  return (
    <p role="status" className="flex items-center gap-2.5 py-6 text-muted">
      <Spinner /> {isBusy ? 'Waiting until the site is free …' : 'Comparing the site with this minute …'}
    </p>
  );
}

function Counters({ preview }: { preview: PitPreview }) {
  const count = (value: number | null) => formatCount(value ?? 0);
  const tables = (preview.num_tables_restored ?? 0) + (preview.num_tables_deleted ?? 0);
  return (
    <div role="status">
      <Figures
        figures={[
          { name: 'Files restored', value: count(preview.num_files_added), hint: 'missing today' },
          { name: 'Files reverted', value: count(preview.num_files_restored), hint: 'changed since' },
          { name: 'Files deleted', value: count(preview.num_files_deleted), hint: 'newer than this minute' },
          {
            name: 'Tables reverted',
            value: count(tables),
            hint: `${count(preview.num_tables_skipped)} unchanged`,
          },
        ]}
      />
    </div>
  );
}
