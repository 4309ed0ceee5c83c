import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api } from './client.ts';

/** Counters and clocks move without an event, so what shows them looks again by itself. */
const refetchInterval = 30_000;

export const attentionQuery = (team_id: string) =>
  queryOptions({
    queryKey: ['sites', 'attention', team_id],
    queryFn: ({ signal }) => api.getTeamAttention({ params: { team_id }, signal }),
    refetchInterval,
    placeholderData: keepPreviousData,
  });

export const recentSitesQuery = (team_id: string) =>
  queryOptions({
    queryKey: ['sites', 'list', team_id, 'recent'],
    queryFn: ({ signal }) => api.listSites({ query: { team_id, page: 1, size: 4 }, signal }),
    refetchInterval,
    placeholderData: keepPreviousData,
  });
