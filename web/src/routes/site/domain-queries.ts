import { queryOptions } from '@tanstack/react-query';
import { ApiError, type SiteDomain, type VerifiedDomain } from '#sdk';
import { api } from '../../api/client.ts';

/** All the names of a site; a certificate that is on its way is looked at again. */
export const siteDomainsQuery = (fqdn: string) =>
  queryOptions({
    queryKey: ['domains', fqdn, 'all'],
    queryFn: async ({ signal }) => (await api.listSiteDomains({ params: { fqdn }, signal })).results,
    refetchInterval: ({ state }) => (state.data?.some(isUnderWay) ? 5_000 : false),
  });

const isUnderWay = ({ certificate }: SiteDomain) => certificate.state === 'pending';

/** What the records of one name say now. */
export const domainRecordsQuery = (fqdn: string, domain: string) =>
  queryOptions({
    queryKey: ['domain-records', fqdn, domain],
    queryFn: ({ signal }) => api.verifySiteDomain({ params: { fqdn, domain }, signal }),
    retry: false,
  });

/** Records that are not right yet are an answer here, and no failure. So is a name that no public DNS can know. */
export const domainQuery = (fqdn: string) =>
  queryOptions({
    queryKey: ['domains', fqdn],
    queryFn: async ({ signal }): Promise<VerifiedDomain & { note?: string }> => {
      try {
        return await api.verifyDomain({ query: { fqdn }, signal });
      } catch (error) {
        if (!(error instanceof ApiError) || error.status !== 422) throw error;
        if (error.code !== 'domain.not_verified') return { verified: false, records: [], note: noteOf(error) };
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

const noteOf = ({ faults, message }: ApiError) => {
  const said = (faults[0]?.msg ?? message).replace(/^Value error, /, '');
  return `${said.charAt(0).toUpperCase()}${said.slice(1)}.`;
};
