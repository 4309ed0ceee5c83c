import { queryOptions } from '@tanstack/react-query';
import { api } from '../../api/client.ts';

export const oauthGrantsQuery = queryOptions({
  queryKey: ['oauth-grants'],
  queryFn: ({ signal }) => api.listOAuthGrants({ query: { size: 100 }, signal }),
});

export const secondFactorQuery = queryOptions({
  queryKey: ['second-factor'],
  queryFn: ({ signal }) => api.getSecondFactor({ signal }),
});

export const sessionsQuery = (page: number) =>
  queryOptions({
    queryKey: ['sessions', page],
    queryFn: ({ signal }) => api.listSessions({ query: { page, size: 20 }, signal }),
  });

export const notificationsQuery = queryOptions({
  queryKey: ['notifications'],
  queryFn: ({ signal }) => api.getNotifications({ signal }),
});
