import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { Me, TicketPage } from '#sdk';
import { api, isForeignCookie, isStatus } from './client.ts';

/** The first element of a key is the resource, so that a live event can say which kind of thing is out of date. */
const size = 25;

/** Null when nobody is signed in. */
export const meQuery = queryOptions({
  queryKey: ['me'],
  queryFn: async ({ signal, client, queryKey }): Promise<Me | null> => {
    try {
      return await api.getMe({ signal });
    } catch (error) {
      // Whoever was signed in until now is led away by the query client; the page meanwhile keeps what it shows.
      if (isStatus(error, 401) && !isForeignCookie(error) && !client.getQueryData(queryKey)) return null;
      throw error;
    }
  },
  staleTime: 60_000,
});

export const teamsQuery = (page: number, limit = size) =>
  queryOptions({
    queryKey: ['teams', 'list', page, limit],
    queryFn: ({ signal }) => api.listTeams({ query: { page, size: limit }, signal }),
    placeholderData: keepPreviousData,
  });

export const teamQuery = (team_id: string) =>
  queryOptions({ queryKey: ['teams', team_id], queryFn: ({ signal }) => api.getTeam({ params: { team_id }, signal }) });

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

export const ticketsQuery = (page: number) =>
  queryOptions({
    queryKey: ['tickets', 'own', page],
    // Asked for with a page, the operation answers a page; its type also covers the other shape.
    queryFn: async ({ signal }) => (await api.listTickets({ query: { page, size }, signal })) as TicketPage,
    placeholderData: keepPreviousData,
  });

export const ticketQuery = (ticket_id: string) =>
  queryOptions({
    queryKey: ['tickets', ticket_id],
    queryFn: ({ signal }) => api.getTicket({ params: { ticket_id }, signal }),
  });

/** Newest first, as the API pages them; the thread shows them the other way round. */
export const repliesQuery = (ticket_id: string) =>
  infiniteQueryOptions({
    queryKey: ['tickets', ticket_id, 'replies'],
    queryFn: ({ pageParam, signal }) =>
      api.listReplies({ params: { ticket_id }, query: { page: pageParam, size }, signal }),
    initialPageParam: 1,
    getNextPageParam: nextPage,
  });

export const eventsQuery = infiniteQueryOptions({
  queryKey: ['events', 'own'],
  queryFn: ({ pageParam, signal }) => api.listEvents({ query: { page: pageParam, size: 50 }, signal }),
  initialPageParam: 1,
  getNextPageParam: nextPage,
});

/** What happened to the site of this name, under its earlier names too; an earlier one finds it as well. */
export const eventsOfNameQuery = (fqdn: string) =>
  infiniteQueryOptions({
    queryKey: ['events', 'name', fqdn],
    queryFn: ({ pageParam, signal }) => api.listEvents({ query: { fqdn, page: pageParam, size: 50 }, signal }),
    initialPageParam: 1,
    getNextPageParam: nextPage,
  });

export const teamEventsQuery = (team_id: string) =>
  infiniteQueryOptions({
    queryKey: ['events', 'team', team_id],
    queryFn: ({ pageParam, signal }) =>
      api.listTeamEvents({ params: { team_id }, query: { page: pageParam, size }, signal }),
    initialPageParam: 1,
    getNextPageParam: nextPage,
  });

export const apiTokensQuery = queryOptions({
  queryKey: ['api-tokens'],
  queryFn: ({ signal }) => api.listApiTokens({ query: { size: 100 }, signal }),
});

export const gitAccountsQuery = queryOptions({
  queryKey: ['git-accounts'],
  queryFn: ({ signal }) => api.listGitAccounts({ query: { size: 100 }, signal }),
});

export const regionsQuery = queryOptions({
  queryKey: ['regions'],
  queryFn: ({ signal }) => api.listRegions({ signal }),
});

export function nextPage(last: { next: unknown }, _pages: unknown[], page: number): number | undefined {
  return last.next ? page + 1 : undefined;
}
