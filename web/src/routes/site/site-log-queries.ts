import { infiniteQueryOptions, keepPreviousData, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { SiteLogEntry } from '#sdk';
import { api } from '../../api/client.ts';
import type { Place } from '../../api/sites.ts';

export type LogKind = 'error' | 'access' | 'slow';
export type LogView = Place & { kind: LogKind; search: string };

/** What a page holds while lines keep coming; who wants more reads on from the top. */
const maxLiveLines = 500;
const retryMs = 5_000;
/** A visitor notices. */
const slowMs = 1_000;

const filterOf = (kind: LogKind) => (kind === 'slow' ? { kind: 'access' as const, min_duration_ms: slowMs } : { kind });

export const siteLogQuery = ({ fqdn, stage, kind, search }: LogView) =>
  infiniteQueryOptions({
    queryKey: ['site-log', fqdn, stage, kind, search],
    queryFn: ({ pageParam: cursor, signal }) =>
      api.listSiteLog({
        params: { fqdn },
        query: { ...filterOf(kind), stage, ...(search && { search }), ...(cursor && { cursor }) },
        signal,
      }),
    initialPageParam: '',
    getNextPageParam: ({ next_cursor }) => next_cursor ?? undefined,
    placeholderData: keepPreviousData,
  });

/** The lines that came since the switch was turned on, newest first. What was written in between is in the list, which is read again. */
export function useLiveLines({ fqdn, stage, kind, search }: LogView, isLive: boolean): SiteLogEntry[] {
  const queryClient = useQueryClient();
  const [lines, setLines] = useState<SiteLogEntry[]>([]);
  useEffect(() => {
    setLines([]);
    if (!isLive) return;
    const filter = Object.entries({ ...filterOf(kind), stage, ...(search && { search }) });
    const query = new URLSearchParams(filter.map(([name, value]) => [name, `${value}`]));
    let source: EventSource | undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const open = () => {
      source = new EventSource(`/f/api/v1/site/${fqdn}/log/stream?${query}`);
      source.onopen = () =>
        void queryClient.invalidateQueries({ queryKey: siteLogQuery({ fqdn, stage, kind, search }).queryKey });
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
  }, [fqdn, stage, kind, search, isLive, queryClient]);
  return lines;
}
