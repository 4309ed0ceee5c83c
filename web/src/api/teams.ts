import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api } from './client.ts';
import { pageSize } from './pages.ts';

export const teamsQuery = (page: number, limit = pageSize) =>
  queryOptions({
    queryKey: ['teams', 'list', page, limit],
    queryFn: ({ signal }) => api.listTeams({ query: { page, size: limit }, signal }),
    placeholderData: keepPreviousData,
  });

export const teamQuery = (team_id: string) =>
  queryOptions({ queryKey: ['teams', team_id], queryFn: ({ signal }) => api.getTeam({ params: { team_id }, signal }) });
