import { infiniteQueryOptions, keepPreviousData, queryOptions, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { SiteLogEntry } from '#sdk';
import { api } from '../../api/client.ts';
import type { Place } from '../../api/sites.ts';

export type LogKind = 'groups' | 'error' | 'access' | 'slow';
/** Of visits; what is empty is not asked for. */
export type VisitFilter = { status: string; method: string; path: string; slowerThanMs: string };
export type LogView = Place & { kind: Exclude<LogKind, 'groups'>; search: string; filter: VisitFilter };

/** What a page holds while lines keep coming; who wants more reads on from the top. */
const maxLiveLines = 500;
const retryMs = 5_000;
/** Errors are counted anew so often while somebody looks. */
const groupsMs = 10_000;

export const siteErrorsQuery = ({ fqdn, stage }: Place, page: number, isLive: boolean) =>
  queryOptions({
    queryKey: ['site-errors', fqdn, stage, page],
    queryFn: ({ signal }) => api.listSiteErrors({ params: { fqdn }, query: { stage, page, size: 30 }, signal }),
    placeholderData: keepPreviousData,
    refetchInterval: isLive && groupsMs,
  });

function wordsOf({ kind, search, filter, stage }: LogView) {
  const { status, method, path, slowerThanMs } = filter;
  const words = { stage, ...(search && { search }) };
  if (kind === 'error') return { kind, ...words };
  return {
    kind: 'access' as const,
    ...words,
    ...(status && { status }),
    ...(method && { method }),
    ...(path && { path }),
    ...(kind === 'slow' && { min_duration_ms: Number(slowerThanMs) }),
  };
}

export const siteLogQuery = (view: LogView) =>
  infiniteQueryOptions({
    queryKey: ['site-log', view.fqdn, wordsOf(view)],
    queryFn: ({ pageParam: cursor, signal }) =>
      api.listSiteLog({
        params: { fqdn: view.fqdn },
        query: { ...wordsOf(view), ...(cursor && { cursor }) },
        signal,
      }),
    initialPageParam: '',
    getNextPageParam: ({ next_cursor }) => next_cursor ?? undefined,
    placeholderData: keepPreviousData,
  });

/** The lines that came since the switch was turned on, newest first. What was written in between is in the list, which is read again. */
export function useLiveLines(view: LogView, isLive: boolean): SiteLogEntry[] {
  const { fqdn } = view;
  // A view is made anew with each drawing; what it says is what counts.
  const words = JSON.stringify(wordsOf(view));
  const queryClient = useQueryClient();
  const [lines, setLines] = useState<SiteLogEntry[]>([]);
  useEffect(() => {
    setLines([]);
    if (!isLive) return;
    const asked = Object.entries<string | number | boolean>(JSON.parse(words));
    const query = new URLSearchParams(asked.map(([name, value]) => [name, `${value}`]));
    let source: EventSource | undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const open = () => {
      source = new EventSource(`/f/api/v1/site/${fqdn}/log/stream?${query}`);
      source.onopen = () => void queryClient.invalidateQueries({ queryKey: ['site-log', fqdn, JSON.parse(words)] });
      source.addEventListener('line', ({ data }) => {
        const line = JSON.parse(data) as SiteLogEntry;
        setLines((known) => [line, ...known].slice(0, maxLiveLines));
      });
      source.onerror = () => {
        // After a refusal EventSource gives up for good; after a mere break it comes back by itself.
        if (source?.readyState === EventSource.CLOSED) timer = setTimeout(open, retryMs);
      };
    };
    open();
    return () => {
      clearTimeout(timer);
      source?.close();
    };
  }, [fqdn, words, isLive, queryClient]);
  return lines;
}
