import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api } from './client.ts';
import { nextPage } from './queries.ts';

const size = 25;
/** Counters move without an event, so what shows them looks again by itself. */
const refetchInterval = 30_000;

export const sitesQuery = (team_id: string | undefined, search: string, page: number) =>
  queryOptions({
    queryKey: ['sites', 'list', team_id, search, page],
    queryFn: ({ signal }) => api.listSites({ query: { team_id, ...(search && { search }), page, size }, signal }),
    // That there is nothing is the answer to one question alone.
    placeholderData: (former) => (former?.count ? former : undefined),
    refetchInterval,
  });

export const siteQuery = (fqdn: string) =>
  queryOptions({
    queryKey: ['sites', 'one', fqdn],
    queryFn: ({ signal }) => api.getSite({ params: { fqdn }, signal }),
    refetchInterval,
  });

export const siteEventsQuery = (fqdn: string) =>
  infiniteQueryOptions({
    queryKey: ['events', 'site', fqdn],
    queryFn: ({ pageParam, signal }) =>
      api.listSiteEvents({ params: { fqdn }, query: { page: pageParam, size }, signal }),
    initialPageParam: 1,
    getNextPageParam: nextPage,
  });

export const externalPathsQuery = (fqdn: string, page: number) =>
  queryOptions({
    queryKey: ['external-paths', fqdn, page],
    queryFn: ({ signal }) => api.listExternalPaths({ params: { fqdn }, query: { page, size }, signal }),
    placeholderData: keepPreviousData,
  });
