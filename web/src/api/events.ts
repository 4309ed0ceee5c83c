import { infiniteQueryOptions } from '@tanstack/react-query';
import type { Event } from '#sdk';
import { api } from './client.ts';
import { nextPage, pageSize as size } from './pages.ts';

export const eventsQuery = infiniteQueryOptions({
  queryKey: ['events', 'own'],
  queryFn: ({ pageParam, signal }) => api.listEvents({ query: { page: pageParam, size: 50 }, signal }),
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

type Detail = { step?: string; failure?: string; result?: { fqdn?: string; undo_point?: string } };

/** How far a background operation is, what came of it, or why nothing did. */
export function detailOf(event: Event): Detail {
  return event.detail as Detail;
}

export type Progress = {
  step: string;
  files: number;
  files_total: number | null;
  bytes: number;
  bytes_total: number | null;
  tables: number;
  tables_total: number | null;
  estimated_seconds: number | null;
};

/** How far a restore is. */
export function progressOf({ detail }: Event): Progress | undefined {
  return detail.progress as Progress | undefined;
}
