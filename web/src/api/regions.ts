import { queryOptions } from '@tanstack/react-query';
import { api } from './client.ts';

export const regionsQuery = queryOptions({
  queryKey: ['regions'],
  queryFn: ({ signal }) => api.listRegions({ signal }),
});
