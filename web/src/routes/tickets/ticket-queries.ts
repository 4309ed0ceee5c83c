import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { TicketPage } from '#sdk';
import { api } from '../../api/client.ts';
import { nextPage, pageSize as size } from '../../api/pages.ts';

export const ticketsQuery = (resolved: boolean, page: number) =>
  queryOptions({
    queryKey: ['tickets', 'own', resolved, page],
    // Asked for with a page, the operation answers a page; its type also covers the other shape.
    queryFn: async ({ signal }) => (await api.listTickets({ query: { page, size, resolved }, signal })) as TicketPage,
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

export const contextQuery = (ticket_id: string) =>
  queryOptions({
    queryKey: ['tickets', ticket_id, 'context'],
    queryFn: ({ signal }) => api.getTicketContext({ params: { ticket_id }, signal }),
    staleTime: 60_000,
  });
