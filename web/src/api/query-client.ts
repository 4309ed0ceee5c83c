import { QueryClient } from '@tanstack/react-query';
import { isStatus } from './client.ts';

/** The first element of every key is the resource, so that a live event can say which kind of thing is out of date. */
export const createQueryClient = (retries = 2): QueryClient =>
  new QueryClient({
    defaultOptions: {
      mutations: { networkMode: 'always' },
      queries: {
        // A platform on this machine is reached without a network, and a call that fails says so where one that waits does not.
        networkMode: 'always',
        refetchOnReconnect: true,
        staleTime: 15_000,
        // What the caller did wrong stays wrong; only an unreachable or overloaded server is worth another try.
        retry: (count, error) => count < retries && !isStatus(error, 401, 402, 403, 404, 409, 422),
      },
    },
  });
