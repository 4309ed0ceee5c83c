import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api } from '../../api/client.ts';
import { pageSize as size } from '../../api/pages.ts';

export const peopleQuery = (team_id: string, search: string, page: number) =>
  queryOptions({
    queryKey: ['members', team_id, 'list', search, page],
    queryFn: ({ signal }) =>
      api.listPeople({ params: { team_id }, query: { ...(search && { search }), page, size }, signal }),
    placeholderData: keepPreviousData,
  });

export const memberQuery = (team_id: string, team_member_id: string) =>
  queryOptions({
    queryKey: ['members', team_id, team_member_id],
    queryFn: ({ signal }) => api.getMember({ params: { team_id, team_member_id }, signal }),
  });

/** A few sites of a team, for whoever chooses among them. */
export const someSitesQuery = (team_id: string, search: string) =>
  queryOptions({
    queryKey: ['sites', 'some', team_id, search],
    queryFn: ({ signal }) => api.listSites({ query: { team_id, ...(search && { search }), size: 20 }, signal }),
    placeholderData: keepPreviousData,
  });

export const teamBillsQuery = (team_id: string) =>
  queryOptions({
    queryKey: ['teams', team_id, 'bills'],
    queryFn: ({ signal }) => api.getTeamBills({ params: { team_id }, signal }),
  });

export const siteUseQuery = (team_id: string, order_by: 'visits' | 'bandwidth' | 'storage' | 'name', page: number) =>
  queryOptions({
    queryKey: ['teams', team_id, 'site-use', order_by, page],
    queryFn: ({ signal }) => api.listSiteUse({ params: { team_id }, query: { order_by, page, size: 10 }, signal }),
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

/** Under the key of teams: whatever puts a team out of date does so to what it pays. */
export const teamBillingQuery = (team_id: string) =>
  queryOptions({
    queryKey: ['teams', team_id, 'billing'],
    queryFn: ({ signal }) => api.getTeamBilling({ params: { team_id }, signal }),
    // Counters move without an event, so what shows them looks again by itself.
    refetchInterval: 30_000,
  });
