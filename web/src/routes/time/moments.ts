import {
  infiniteQueryOptions,
  keepPreviousData,
  queryOptions,
  useInfiniteQuery,
  useQuery,
} from '@tanstack/react-query';
import type { SiteHappenings, SiteMoment } from '#sdk';
import { api } from '../../api/client.ts';
import type { Place } from '../../api/sites.ts';
import { formatMoment } from '../../ui/format-time.ts';
import type { View } from './timeline-view.ts';

export type Happened = SiteHappenings['happened'][number];
export type MomentKind = SiteMoment['kind'];

const pageSize = 100;
/** Where a view begins moves on with the clock; what it asks for does so more slowly. */
const roundMs = 5 * 60_000;

/** What happened in a time, newest first; what is new is told about a minute after it happened. */
const momentsQuery = ({ fqdn, stage }: Place, from: string, until: string | undefined) =>
  infiniteQueryOptions({
    queryKey: ['moments', fqdn, stage, from, until],
    queryFn: ({ pageParam, signal }) =>
      api.listMoments({ params: { fqdn }, query: { stage, from, until, page: pageParam, size: pageSize }, signal }),
    initialPageParam: 1,
    getNextPageParam: ({ next }, _pages, page) => (next === null ? undefined : page + 1),
    placeholderData: keepPreviousData,
    refetchInterval: 20_000,
  });

export function useMoments(place: Place, view: View, isNewest: boolean) {
  const from = new Date(Math.floor(view.startMs / roundMs) * roundMs).toISOString();
  const until = isNewest ? undefined : new Date(view.endMs).toISOString();
  const query = useInfiniteQuery(momentsQuery(place, from, until));
  return { ...query, data: query.data?.pages.flatMap(({ results }) => results) };
}

/** The minutes that have a name: so few that they come at once. */
const pointsQuery = ({ fqdn, stage }: Place) =>
  queryOptions({
    queryKey: ['restore-points', fqdn, stage],
    queryFn: ({ signal }) => api.listRestorePoints({ params: { fqdn }, query: { stage, size: 100 }, signal }),
  });

export const usePoints = (place: Place) => useQuery(pointsQuery(place)).data?.results ?? [];

/** What became of the site since a minute, in words of WordPress. Until now it is of the newest backup, so it is asked again after a while. */
export const happeningsQuery = ({ fqdn, stage }: Place, restore_point: string, until?: string) =>
  queryOptions({
    queryKey: ['happenings', fqdn, stage, restore_point, until],
    queryFn: ({ signal }) => api.getHappenings({ params: { fqdn }, query: { restore_point, stage, until }, signal }),
    staleTime: 30_000,
  });

/** A time is told by the reader's own clock. */
export function textOf({ kind, text, point }: SiteMoment): string {
  return kind === 'restore' && point !== null ? `Restored to ${formatMoment(point)}` : text;
}
