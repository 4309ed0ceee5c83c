import { type Fault, invalid } from '#core/errors.ts';
import { isOfPlatformDomain, isPlatformName, isUnderSiteDomain, SHARED_DOMAIN } from '#features/site-name/site-name.ts';
import type { Config } from '../../config.ts';
import type { DomainRecord } from './domain.schema.ts';

/** Names that mean something on one network alone, or nothing anywhere: no public resolver could tell of them. */
const RESERVED = 'localhost local internal private intranet lan home corp test invalid example onion alt arpa'.split(
  ' ',
);

export const domainFault = (msg: string): Fault => ({
  loc: ['query', 'fqdn'],
  msg: `Value error, ${msg}`,
  type: 'value_error',
});

export function requirePublicName(config: Config, fqdn: string, reserved: readonly string[]): void {
  if (isPlatformName(config, fqdn, reserved)) throw invalid(domainFault('this name belongs to the platform itself'));
  if (isOfPlatformDomain(config, fqdn)) throw invalid(domainFault(SHARED_DOMAIN));
  if (!isUnderSiteDomain(config, fqdn) && RESERVED.includes(fqdn.split('.').at(-1) as string))
    throw invalid(domainFault('this name is reserved for private networks or tests; name a public domain'));
}

/** Describes the expected and the actual value of a wrong record. */
export function describeRecord({ type, name, expected, found }: DomainRecord): string {
  const says = found.length === 0 ? 'there is none' : `it is ${found.join(', ')}`;
  if (type === 'TXT') return `the TXT record of ${name} must hold the site's DKIM key, and ${says}`;
  if (expected === '') return `${name} must have no ${type} record, and ${says}`;
  return `the ${type} record of ${name} must be ${expected}, and ${says}`;
}
