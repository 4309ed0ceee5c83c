import { queryOptions } from '@tanstack/react-query';
import { ApiError, type VerifiedDomain } from '#sdk';
import { api } from './client.ts';

/** Records that are not right yet are an answer here, and no failure. */
export const domainQuery = (fqdn: string) =>
  queryOptions({
    queryKey: ['domains', fqdn],
    queryFn: async ({ signal }): Promise<VerifiedDomain> => {
      try {
        return await api.verifyDomain({ query: { fqdn }, signal });
      } catch (error) {
        if (!(error instanceof ApiError) || error.code !== 'domain.not_verified') throw error;
        return { verified: false, records: error.data.records as VerifiedDomain['records'] };
      }
    },
    retry: false,
  });

export const domainClaimQuery = (fqdn: string, team_id: string) =>
  queryOptions({
    queryKey: ['domains', fqdn, 'claim', team_id],
    queryFn: ({ signal }) => api.getDomainClaim({ query: { fqdn, team_id }, signal }),
    retry: false,
  });

/** The record that would prove a domain to be one's own. */
export type ClaimRecord = { name: string; value: string };

/** What a refused name says about the way to get it; undefined where there is none. */
export function claimIn(error: unknown): ClaimRecord | undefined {
  return error instanceof ApiError ? (error.data.claim as ClaimRecord | undefined) : undefined;
}
