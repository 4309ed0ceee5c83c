import { queryOptions } from '@tanstack/react-query';
import { api } from './client.ts';

/** Where sites are reached by ssh; it never changes while a page is open. */
export const sshServerQuery = queryOptions({
  queryKey: ['ssh'],
  queryFn: ({ signal }) => api.getSshServer({ signal }),
  staleTime: Number.POSITIVE_INFINITY,
});
