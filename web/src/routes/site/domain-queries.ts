import { queryOptions } from '@tanstack/react-query';
import { ApiError, type VerifiedDomain } from '#sdk';
import { api } from '../../api/client.ts';

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
