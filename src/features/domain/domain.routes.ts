import { Type } from 'typebox';
import { operation } from '#core/http/operation.ts';
import { Fqdn, Uuid } from '#core/http/schema.ts';
import { inTeam, signedIn } from '#core/policy.ts';
import { DomainClaim, dnsFailed, dnsTimeout, domainNotVerified, VerifiedDomain } from './domain.schema.ts';
import { getDomainClaim, verifyDomain } from './domain.ts';

const tag = 'domains';

export const domainOperations = [
  operation({
    id: 'verifyDomain',
    method: 'GET',
    path: '/verify_domain',
    tag,
    summary: "Whether a domain's DNS records lead to the platform, record by record",
    access: signedIn,
    query: Type.Object({ fqdn: Fqdn }),
    response: VerifiedDomain,
    errors: [domainNotVerified, dnsFailed, dnsTimeout],
    handle: ({ db, services, caller, query }) => verifyDomain(db, services, caller, query.fqdn),
  }),
  operation({
    id: 'getDomainClaim',
    method: 'GET',
    path: '/domain_claim',
    tag,
    summary: 'The TXT record by which a team proves that a domain is its own, and whether it is published',
    access: inTeam('member', 'query'),
    query: Type.Object({ fqdn: Fqdn, team_id: Uuid }),
    response: DomainClaim,
    errors: [dnsFailed, dnsTimeout],
    handle: ({ services, subject: teamId, query }) => getDomainClaim(services, teamId, query.fqdn),
  }),
];
