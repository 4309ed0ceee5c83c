import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api } from '../../api/client.ts';
import { nextPage, pageSize as size } from '../../api/pages.ts';

export const membersQuery = (team_id: string, page: number) =>
  queryOptions({
    queryKey: ['members', team_id, 'list', page],
    queryFn: ({ signal }) => api.listMembers({ params: { team_id }, query: { page, size }, signal }),
    placeholderData: keepPreviousData,
  });

export const invitesQuery = (team_id: string, page: number) =>
  queryOptions({
    queryKey: ['invites', team_id, page],
    queryFn: ({ signal }) => api.listInvites({ params: { team_id }, query: { page, size }, signal }),
    placeholderData: keepPreviousData,
  });

export const applicationPasswordsQuery = (team_id: string, page: number) =>
  queryOptions({
    queryKey: ['application-passwords', team_id, page],
    queryFn: ({ signal }) => api.listApplicationPasswords({ params: { team_id }, query: { page, size }, signal }),
    placeholderData: keepPreviousData,
  });

export const teamTicketsQuery = (team_id: string, page: number) =>
  queryOptions({
    queryKey: ['tickets', 'team', team_id, page],
    queryFn: ({ signal }) => api.listTeamTickets({ params: { team_id }, query: { page, size }, signal }),
    placeholderData: keepPreviousData,
  });

export const teamEventsQuery = (team_id: string) =>
  infiniteQueryOptions({
    queryKey: ['events', 'team', team_id],
    queryFn: ({ pageParam, signal }) =>
      api.listTeamEvents({ params: { team_id }, query: { page: pageParam, size }, signal }),
    initialPageParam: 1,
    getNextPageParam: nextPage,
  });

/** Under the key of teams: whatever puts a team out of date does so to what it pays. */
export const teamBillingQuery = (team_id: string) =>
  queryOptions({
    queryKey: ['teams', team_id, 'billing'],
    queryFn: ({ signal }) => api.getTeamBilling({ params: { team_id }, signal }),
    // Counters move without an event, so what shows them looks again by itself.
    refetchInterval: 30_000,
  });
