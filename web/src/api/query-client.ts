import { QueryClient } from '@tanstack/react-query';
import { isStatus } from './client.ts';

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 15_000,
      // What the caller did wrong stays wrong; only an unreachable or overloaded server is worth another try.
      retry: (count, error) => count < 2 && !isStatus(error, 401, 402, 403, 404, 409, 422),
    },
  },
});
