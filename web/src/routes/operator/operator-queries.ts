import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api } from '../../api/client.ts';
import { nextPage, pageSize as size } from '../../api/pages.ts';

export const allTicketsQuery = (resolved: boolean, page: number) =>
  queryOptions({
    queryKey: ['tickets', 'all', resolved, page],
    queryFn: ({ signal }) => api.listAllTickets({ query: { resolved, page, size }, signal }),
    placeholderData: keepPreviousData,
  });

export const anyTicketQuery = (ticket_id: string) =>
  queryOptions({
    queryKey: ['tickets', 'all', ticket_id],
    queryFn: ({ signal }) => api.getAnyTicket({ params: { ticket_id }, signal }),
  });

export const anyRepliesQuery = (ticket_id: string) =>
  infiniteQueryOptions({
    queryKey: ['tickets', 'all', ticket_id, 'replies'],
    queryFn: ({ pageParam, signal }) =>
      api.listAnyReplies({ params: { ticket_id }, query: { page: pageParam, size }, signal }),
    initialPageParam: 1,
    getNextPageParam: nextPage,
  });

export const allTeamsQuery = (page: number) =>
  queryOptions({
    queryKey: ['teams', 'all', page],
    queryFn: ({ signal }) => api.listAllTeams({ query: { page, size }, signal }),
    placeholderData: keepPreviousData,
  });

export const allUsersQuery = (search: string, page: number) =>
  queryOptions({
    queryKey: ['users', 'all', search, page],
    queryFn: ({ signal }) => api.listAllUsers({ query: { ...(search && { search }), page, size }, signal }),
    placeholderData: keepPreviousData,
  });

export const failedJobsQuery = (page: number) =>
  queryOptions({
    queryKey: ['jobs', page],
    queryFn: ({ signal }) => api.listFailedJobs({ query: { page, size }, signal }),
    placeholderData: keepPreviousData,
  });

export const deletedSitesQuery = (page: number) =>
  queryOptions({
    queryKey: ['sites', 'deleted', page],
    queryFn: ({ signal }) => api.listDeletedSites({ query: { page, size }, signal }),
    placeholderData: keepPreviousData,
  });
