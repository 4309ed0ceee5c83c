import { type Static, Type } from 'typebox';
import { failure } from '#core/errors.ts';
import { Fqdn, Nullable, OneOf, say, Timestamp } from '#core/http/schema.ts';
import { CertificateState } from '#features/certificate/certificate.schema.ts';
import { DomainRecord } from '#features/domain/domain.schema.ts';

const Mode = OneOf(['redirect', 'serve'], {
  description:
    "What a name other than the primary one does: send visitors to the primary one, or show them the site as it is. The site's own links lead to the primary one either way",
});

const fields = {
  fqdn: Type.String({ description: 'The name' }),
  is_primary: Type.Boolean({ description: "The site's own address: the name that its links lead to" }),
  mode: Mode,
  verified: Type.Boolean({ description: 'Its DNS records led here when they were looked at last' }),
  looked_at: say(Nullable(Timestamp), 'When they were'),
  pair: say(
    Nullable(Type.String()),
    'The same name with www, or without, where the site does not have it yet and could: many visitors try it',
  ),
  certificate: CertificateState,
  created_at: Timestamp,
};

export const SiteDomain = Type.Object(fields, { title: 'SiteDomain' });
export type SiteDomain = Static<typeof SiteDomain>;

export const SiteDomains = Type.Object(
  { results: Type.Array(SiteDomain, { description: 'The primary one first, then the oldest' }) },
  { title: 'SiteDomains' },
);

export const CheckedSiteDomain = Type.Object(
  { ...fields, records: Type.Array(DomainRecord, { description: 'What its records must say, and what they say' }) },
  { title: 'CheckedSiteDomain' },
);
export type CheckedSiteDomain = Static<typeof CheckedSiteDomain>;

export const NewSiteDomain = Type.Object({
  domain: say(Fqdn, 'The name that the site is to have as well'),
  mode: Type.Optional(Mode),
  with_www: Type.Optional(
    Type.Boolean({ description: 'Add the same name with www as well, or without where it has it; it redirects' }),
  ),
});
export type NewSiteDomain = Static<typeof NewSiteDomain>;

export const SiteDomainChange = Type.Object({ mode: Mode });

export const domainNotFound = failure('domain.not_found', 404, 'The site has no such domain.');
export const domainIsPrimary = failure(
  'domain.is_primary',
  409,
  'This is the primary domain of the site; make another one primary first.',
);
export const certificateNotFound = failure('domain.no_own_certificate', 404, 'The domain has no own certificate.');
