import { type Static, Type } from 'typebox';
import { failure } from '#core/errors.ts';
import { OneOf, Uuid } from '#core/http/schema.ts';

export const DomainRecord = Type.Object({
  type: OneOf(['A', 'AAAA', 'CNAME', 'NS', 'TXT']),
  name: Type.String({ description: 'Where the record stands' }),
  expected: Type.String({ description: 'What it must say; empty where there must be none' }),
  found: Type.Array(Type.String(), { description: 'What it says' }),
  ok: Type.Boolean(),
});
export type DomainRecord = Static<typeof DomainRecord>;

export const VerifiedDomain = Type.Object(
  { verified: Type.Boolean(), records: Type.Array(DomainRecord) },
  { title: 'VerifiedDomain' },
);
export type VerifiedDomain = Static<typeof VerifiedDomain>;

export const DomainClaim = Type.Object(
  {
    fqdn: Type.String(),
    team_id: Uuid,
    type: OneOf(['TXT']),
    name: Type.String({ description: 'Where to publish the record' }),
    value: Type.String({ description: 'What it must say' }),
    seen: Type.Boolean({ description: 'It is published, so the team may have the domain' }),
  },
  { title: 'DomainClaim' },
);
export type DomainClaim = Static<typeof DomainClaim>;

export const domainNotVerified = failure('domain.not_verified', 422, 'The records of the domain are not right yet.');
export const dnsFailed = failure('domain.dns_failed', 502, 'The name servers could not be asked; try again shortly.');
export const dnsTimeout = failure('domain.dns_timeout', 504, 'The name servers did not answer in time; try again.');
