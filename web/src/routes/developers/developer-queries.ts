import { queryOptions } from '@tanstack/react-query';
import { api } from '../../api/client.ts';

export const apiTokensQuery = queryOptions({
  queryKey: ['api-tokens'],
  queryFn: ({ signal }) => api.listApiTokens({ query: { size: 100 }, signal }),
});

export const sshKeysQuery = queryOptions({
  queryKey: ['ssh-keys'],
  queryFn: ({ signal }) => api.listSshKeys({ query: { size: 100 }, signal }),
});

export const gitAccountsQuery = queryOptions({
  queryKey: ['git-accounts'],
  queryFn: ({ signal }) => api.listGitAccounts({ query: { size: 100 }, signal }),
});
