import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api } from '../../api/client.ts';
import { nextPage, pageSize as size } from '../../api/pages.ts';

/** Figures move without an event, so what shows them looks again by itself. */
export const overviewQuery = queryOptions({
  queryKey: ['overview'],
  queryFn: ({ signal }) => api.getPlatformOverview({ signal }),
  refetchInterval: 30_000,
});

export type TicketView = 'waiting' | 'mine' | 'unassigned' | 'open' | 'resolved';

const ofView = {
  waiting: { waits_for: 'support' },
  mine: { assigned: 'me', resolved: false },
  unassigned: { assigned: 'nobody', resolved: false },
  open: { resolved: false },
  resolved: { resolved: true },
} as const;

export const allTicketsQuery = (view: TicketView, page: number) =>
  queryOptions({
    queryKey: ['tickets', 'all', view, page],
    queryFn: ({ signal }) => api.listAllTickets({ query: { ...ofView[view], page, size }, signal }),
    placeholderData: keepPreviousData,
  });

export const anyTicketQuery = (ticket_id: string) =>
  queryOptions({
    queryKey: ['tickets', 'all', ticket_id],
    queryFn: ({ signal }) => api.getAnyTicket({ params: { ticket_id }, signal }),
  });

export const anyContextQuery = (ticket_id: string) =>
  queryOptions({
    queryKey: ['tickets', 'all', ticket_id, 'context'],
    queryFn: ({ signal }) => api.getAnyTicketContext({ params: { ticket_id }, signal }),
    staleTime: 60_000,
  });

export const anyRepliesQuery = (ticket_id: string) =>
  infiniteQueryOptions({
    queryKey: ['tickets', 'all', ticket_id, 'replies'],
    queryFn: ({ pageParam, signal }) =>
      api.listAnyReplies({ params: { ticket_id }, query: { page: pageParam, size }, signal }),
    initialPageParam: 1,
    getNextPageParam: nextPage,
  });

export const operatorsQuery = queryOptions({
  queryKey: ['users', 'operators'],
  queryFn: ({ signal }) => api.listAllUsers({ query: { is_superuser: true, size: 100 }, signal }),
});

type TeamFilter = { search?: string; user_id?: string };

export const allTeamsQuery = (filter: TeamFilter, page: number) =>
  queryOptions({
    queryKey: ['teams', 'all', filter, page],
    queryFn: ({ signal }) => api.listAllTeams({ query: { ...filter, page, size }, signal }),
    placeholderData: keepPreviousData,
  });

export const anyTeamQuery = (team_id: string) =>
  queryOptions({
    queryKey: ['teams', 'any', team_id],
    queryFn: ({ signal }) => api.getAnyTeam({ params: { team_id }, signal }),
  });

export const anyMembersQuery = (team_id: string, page: number) =>
  queryOptions({
    queryKey: ['members', 'any', team_id, page],
    queryFn: ({ signal }) => api.listAnyMembers({ params: { team_id }, query: { page, size }, signal }),
    placeholderData: keepPreviousData,
  });

type SiteFilter = { search?: string; team_id?: string };

export const allSitesQuery = (filter: SiteFilter, page: number) =>
  queryOptions({
    queryKey: ['sites', 'all', filter, page],
    queryFn: ({ signal }) => api.listAllSites({ query: { ...filter, page, size }, signal }),
    placeholderData: keepPreviousData,
  });

export const anySiteQuery = (site_id: string) =>
  queryOptions({
    queryKey: ['sites', 'any', site_id],
    queryFn: ({ signal }) => api.getAnySite({ params: { site_id }, signal }),
  });

export const allUsersQuery = (filter: { search?: string }, page: number) =>
  queryOptions({
    queryKey: ['users', 'all', filter, page],
    queryFn: ({ signal }) => api.listAllUsers({ query: { ...filter, page, size }, signal }),
    placeholderData: keepPreviousData,
  });

export const anyUserQuery = (user_id: string) =>
  queryOptions({
    queryKey: ['users', 'any', user_id],
    queryFn: ({ signal }) => api.getAnyUser({ params: { user_id }, signal }),
  });

export const accountViewsQuery = (user_id: string) =>
  queryOptions({
    queryKey: ['users', 'views', user_id],
    queryFn: ({ signal }) => api.listAccountViews({ params: { user_id }, query: { size: 10 }, signal }),
  });

export const anyEventsQuery = (of: { user_id?: string; team_id?: string; site_id?: string }) =>
  infiniteQueryOptions({
    queryKey: ['events', 'any', of],
    queryFn: ({ pageParam, signal }) => api.listAnyEvents({ query: { ...of, page: pageParam, size }, signal }),
    initialPageParam: 1,
    getNextPageParam: nextPage,
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

export const operatorTemplatesQuery = (approved: boolean, page: number) =>
  queryOptions({
    queryKey: ['templates', 'operator', approved, page],
    queryFn: ({ signal }) => api.listAllTemplates({ query: { approved, page, size }, signal }),
    placeholderData: keepPreviousData,
  });
