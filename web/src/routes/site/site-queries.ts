import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api } from '../../api/client.ts';
import { nextPage, pageSize as size } from '../../api/pages.ts';

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

export const stageMailQuery = (fqdn: string, page: number) =>
  queryOptions({
    queryKey: ['stage-mail', fqdn, page],
    queryFn: ({ signal }) => api.listStageMail({ params: { fqdn }, query: { page, size }, signal }),
    placeholderData: keepPreviousData,
    // No event tells of it.
    refetchInterval: 10_000,
  });

/** Both sides are kept and compared as they are, which takes a moment: it is done again when somebody wants it. */
export const stageChangesQuery = (fqdn: string) =>
  infiniteQueryOptions({
    queryKey: ['stage-changes', fqdn],
    queryFn: ({ pageParam, signal }) =>
      api.compareStage({ params: { fqdn }, query: { page: pageParam, size: 100 }, signal }),
    initialPageParam: 1,
    getNextPageParam: nextPage,
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
  });

export const gitLinkQuery = (fqdn: string, stage: boolean) =>
  queryOptions({
    queryKey: ['git-link', fqdn, stage],
    queryFn: ({ signal }) => api.getGitLink({ params: { fqdn }, query: { stage }, signal }),
  });

/** The site is kept and compared as it is, which takes a moment: it is done again when somebody wants it. */
export const gitChangesQuery = (fqdn: string, stage: boolean) =>
  queryOptions({
    queryKey: ['git-changes', fqdn, stage],
    queryFn: ({ signal }) => api.getGitChanges({ params: { fqdn }, query: { stage }, signal }),
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
  });

/** Those of the site's newest events that are syncs are told apart by whoever shows them. */
export const deploysQuery = (fqdn: string) =>
  queryOptions({
    queryKey: ['events', 'site', fqdn, 'deploys'],
    queryFn: ({ signal }) => api.listSiteEvents({ params: { fqdn }, query: { size: 100 }, signal }),
  });
