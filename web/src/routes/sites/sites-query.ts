import { queryOptions } from '@tanstack/react-query';
import { api } from '../../api/client.ts';
import { pageSize as size } from '../../api/pages.ts';

export const sitesQuery = (team_id: string | undefined, search: string, page: number) =>
  queryOptions({
    queryKey: ['sites', 'list', team_id, search, page],
    queryFn: ({ signal }) => api.listSites({ query: { team_id, ...(search && { search }), page, size }, signal }),
    // That there is nothing is the answer to one question alone.
    placeholderData: (former) => (former?.count ? former : undefined),
    // Counters move without an event, so what shows them looks again by itself.
    refetchInterval: 30_000,
  });
