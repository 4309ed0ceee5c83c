import { queryOptions } from '@tanstack/react-query';
import { api } from '../../api/client.ts';

export const apiTokensQuery = queryOptions({
  queryKey: ['api-tokens'],
  queryFn: ({ signal }) => api.listApiTokens({ query: { size: 100 }, signal }),
});

export const oauthGrantsQuery = queryOptions({
  queryKey: ['oauth-grants'],
  queryFn: ({ signal }) => api.listOAuthGrants({ query: { size: 100 }, signal }),
});

export const sshKeysQuery = queryOptions({
  queryKey: ['ssh-keys'],
  queryFn: ({ signal }) => api.listSshKeys({ query: { size: 100 }, signal }),
});

export const gitAccountsQuery = queryOptions({
  queryKey: ['git-accounts'],
  queryFn: ({ signal }) => api.listGitAccounts({ query: { size: 100 }, signal }),
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
