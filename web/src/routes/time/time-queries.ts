import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { Backup, Operations, PitRestore } from '#sdk';
import { api } from '../../api/client.ts';
import type { Place } from '../../api/sites.ts';

const pageSize = 1000;
const recentSize = 30;

export type RestoreWish = Operations['createPitRestore']['input']['body'];

/** Asked for a number of backups, the operation answers a list; its type also covers the other shape. */
const listBackups = async (
  { fqdn, stage }: Place,
  number_to_fetch: number,
  restore_point?: string,
  signal?: AbortSignal,
) => (await api.getBackups({ params: { fqdn }, query: { number_to_fetch, restore_point, stage }, signal })) as Backup[];

/** Backups are taken without an event, so the newest are looked for again and again. */
export const recentBackupsQuery = (place: Place) =>
  queryOptions({
    queryKey: ['backups', place, 'recent'],
    queryFn: ({ signal }) => listBackups(place, recentSize, undefined, signal),
    refetchInterval: 15_000,
  });

/** All of them, newest first. What is past does not change, so it is read once. */
export const pastBackupsQuery = (place: Place) =>
  infiniteQueryOptions({
    queryKey: ['backups', place, 'past'],
    queryFn: ({ pageParam, signal }) => listBackups(place, pageSize, pageParam, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => (page.length === pageSize ? justBefore(page.at(-1) as Backup) : undefined),
    staleTime: Number.POSITIVE_INFINITY,
  });

const justBefore = ({ created_at }: Backup) => new Date(Date.parse(created_at) - 1).toISOString();

/** How many changes of a restore are shown before somebody asks for more. */
const changesSize = 100;

type ChangesPage = { page?: number; now_hash?: string };

/** What a restore would change. It compares the whole site, so it is asked only for a minute that somebody stays at. */
export const restorePreviewQuery = (fqdn: string, body: RestoreWish) =>
  infiniteQueryOptions({
    queryKey: ['restore-previews', fqdn, body],
    queryFn: ({ pageParam, signal }) =>
      api.previewPitRestore({ params: { fqdn }, query: { ...pageParam, size: changesSize }, body, signal }),
    initialPageParam: {} as ChangesPage,
    getNextPageParam: ({ changes_next }) => changesPageOf(changes_next),
    staleTime: 60_000,
    refetchOnWindowFocus: false,
  });

/** The rest of a list belongs to what its beginning was compared with, which the mark names. */
function changesPageOf(next: string | null): ChangesPage | undefined {
  if (next === null) return undefined;
  const query = new URL(next).searchParams;
  return { page: Number(query.get('page')), now_hash: query.get('now_hash') ?? '' };
}

export const restoresQuery = ({ fqdn, stage }: Place, page: number) =>
  queryOptions({
    queryKey: ['restores', fqdn, 'list', stage, page],
    queryFn: ({ signal }) => api.listPitRestores({ params: { fqdn }, query: { stage, page, size: 10 }, signal }),
    placeholderData: keepPreviousData,
  });

/** The event stream tells of its end; asking as well covers a stream that is interrupted. */
export const restoreQuery = (fqdn: string, pit_restore_id: string) =>
  queryOptions({
    queryKey: ['restores', fqdn, pit_restore_id],
    queryFn: async ({ signal }) =>
      (await api.getPitRestore({ params: { fqdn, pit_restore_id }, signal })) as PitRestore,
    refetchInterval: ({ state }) => (state.data?.finished_at === null ? 3_000 : false),
  });

const reportSize = 500;
/** The last line of a page of the report, where another one follows. */
const moreLine = / {2}more: +\S+\n$/;

export const restoreReportQuery = (fqdn: string, pit_restore_id: string) =>
  infiniteQueryOptions({
    queryKey: ['restores', fqdn, pit_restore_id, 'report'],
    queryFn: async ({ pageParam, signal }): Promise<{ text: string; hasMore: boolean }> => {
      const query = { format: 'text' as const, page: pageParam, size: reportSize };
      // The one format that is no JSON.
      const report = await api.getPitRestore({ params: { fqdn, pit_restore_id }, query, signal });
      const text = await (report as Blob).text();
      return { text: text.replace(moreLine, ''), hasMore: moreLine.test(text) };
    },
    initialPageParam: 1,
    getNextPageParam: ({ hasMore }, _pages, page) => (hasMore ? page + 1 : undefined),
  });
