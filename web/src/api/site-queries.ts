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

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

export const usageRanges = {
  '24h': { label: '24 h', title: 'the last 24 hours', step: 'hour', points: 24 },
  '7d': { label: '7 d', title: 'the last 7 days', step: 'day', points: 7 },
  '30d': { label: '30 d', title: 'the last 30 days', step: 'day', points: 30 },
} as const;
export type UsageRange = keyof typeof usageRanges;

export const siteUsageQuery = (fqdn: string, range: UsageRange) =>
  queryOptions({
    queryKey: ['usage', fqdn, range],
    queryFn: async ({ signal }) => {
      const { step, points } = usageRanges[range];
      // The API widens what it is asked for to whole steps; the running one counts as a whole one.
      const from = new Date(Date.now() - (points - 1) * (step === 'hour' ? hourMs : dayMs)).toISOString();
      const usage = await api.getSiteUsage({ params: { fqdn }, query: { from, step }, signal });
      // Until another range has come the former one stays, and says itself which one it is.
      return { ...usage, title: usageRanges[range].title };
    },
    placeholderData: keepPreviousData,
    refetchInterval,
  });

export const externalPathsQuery = (fqdn: string, page: number) =>
  queryOptions({
    queryKey: ['external-paths', fqdn, page],
    queryFn: ({ signal }) => api.listExternalPaths({ params: { fqdn }, query: { page, size }, signal }),
    placeholderData: keepPreviousData,
  });
