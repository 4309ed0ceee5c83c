import { infiniteQueryOptions, keepPreviousData, type QueryClient, queryOptions } from '@tanstack/react-query';
import type { SiteFileEntry } from '#sdk';
import { api } from '../../../api/client.ts';
import type { Place } from '../../../api/sites.ts';

const keyOf = ({ fqdn, stage }: Place) => ['site-files', fqdn, stage] as const;

export const folderQuery = (place: Place, path: string) =>
  queryOptions({
    queryKey: [...keyOf(place), 'folder', path],
    queryFn: ({ signal }) =>
      api.getSiteFile({ params: { fqdn: place.fqdn }, query: { path, stage: place.stage }, signal }),
  });

/** Each opening reads it anew, and nothing changes what somebody has begun to edit. */
export const fileQuery = (place: Place, path: string) =>
  queryOptions({
    ...folderQuery(place, path),
    queryKey: [...keyOf(place), 'file', path],
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    refetchOnReconnect: false,
  });

export const fileAtQuery = (place: Place, path: string, at: string) =>
  queryOptions({
    queryKey: [...keyOf(place), 'at', path, at],
    queryFn: ({ signal }) =>
      api.getSiteFile({ params: { fqdn: place.fqdn }, query: { path, at, stage: place.stage }, signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });

export const historyQuery = (place: Place, path: string) =>
  infiniteQueryOptions({
    queryKey: [...keyOf(place), 'history', path],
    queryFn: ({ pageParam: before, signal }) =>
      api.getSiteFileHistory({
        params: { fqdn: place.fqdn },
        query: { path, stage: place.stage, ...(before && { before }) },
        signal,
      }),
    initialPageParam: '',
    getNextPageParam: ({ next_before }) => next_before ?? undefined,
    gcTime: 0,
  });

export const searchQuery = (place: Place, by: 'name' | 'text', words: string) =>
  queryOptions({
    queryKey: [...keyOf(place), 'search', by, words],
    queryFn: ({ signal }) =>
      api.searchSiteFiles({ params: { fqdn: place.fqdn }, query: { [by]: words, stage: place.stage }, signal }),
    placeholderData: keepPreviousData,
  });

export const refreshFolder = (client: QueryClient, place: Place, path: string) =>
  client.invalidateQueries({ queryKey: folderQuery(place, path).queryKey });

export function downloadAddress({ fqdn, stage }: Place, path: string): string {
  const query = new URLSearchParams({ path, ...(stage && { stage: 'true' }) });
  return `/f/api/v1/site/${encodeURIComponent(fqdn)}/file/download?${query}`;
}

/** An entry by its whole path. */
export type Selected = { path: string; kind: SiteFileEntry['kind'] };

export const WHOLE: Selected = { path: '', kind: 'folder' };

export const parentOf = (path: string) => path.slice(0, Math.max(path.lastIndexOf('/'), 0));
export const nameOf = (path: string) => path.slice(path.lastIndexOf('/') + 1);
export const inside = (folder: string, name: string) => (folder === '' ? name : `${folder}/${name}`);
/** Where what is new goes: into the folder, or beside the file. */
export const folderOf = ({ path, kind }: Selected) => (kind === 'folder' ? path : parentOf(path));
/** The folders on the way to it. */
export function foldersAbove(path: string): string[] {
  const parent = parentOf(path);
  return parent === '' ? [] : [...foldersAbove(parent), parent];
}
