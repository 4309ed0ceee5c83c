import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { Site } from '#sdk';
import { api } from './client.ts';
import { nextPage } from './queries.ts';

const size = 25;
/** Counters move without an event, so what shows them looks again by itself. */
const refetchInterval = 30_000;

export const sitesQuery = (team_id: string | undefined, page: number) =>
  queryOptions({
    queryKey: ['sites', 'list', team_id, page],
    queryFn: ({ signal }) => api.listSites({ query: { team_id, page, size }, signal }),
    placeholderData: keepPreviousData,
    refetchInterval,
  });

const searchPages = 20;

/** Every site of the caller, for a search by name; the API has none, and a name fits into a glance at all of them. */
export const allSitesQuery = (team_id: string | undefined) =>
  queryOptions({
    queryKey: ['sites', 'all', team_id],
    queryFn: async ({ signal }): Promise<Site[]> => {
      const sites: Site[] = [];
      for (let page = 1; page <= searchPages; page++) {
        const { results, next } = await api.listSites({ query: { team_id, page, size: 100 }, signal });
        sites.push(...results);
        if (!next) break;
      }
      return sites;
    },
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
