import { queryOptions } from '@tanstack/react-query';
import { api } from '../../api/client.ts';

export const testCheckoutQuery = (session_id: string) =>
  queryOptions({
    queryKey: ['test-checkouts', session_id],
    queryFn: ({ signal }) => api.getTestCheckout({ params: { session_id }, signal }),
  });

export const testPortalQuery = (session_id: string) =>
  queryOptions({
    queryKey: ['test-portals', session_id],
    queryFn: ({ signal }) => api.getTestPortal({ params: { session_id }, signal }),
  });
