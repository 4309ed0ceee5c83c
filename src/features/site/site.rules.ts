import ipaddr from 'ipaddr.js';
import { bodyFault, type Fault } from '#core/errors.ts';
import { isWithin, registrableDomain } from '#core/host-name.ts';
import { asWordPressReadsIt, MAX_PASSWORD_BYTES } from '#runtimes/wordpress/password.ts';
import type { Config } from '../../config.ts';
import type { NewSite } from './site.schema.ts';

/** What a request about a site may say, beyond what its schema can tell. */

export const SHARED_DOMAIN = 'this is a name of the domain that the platform itself uses; choose one of another domain';

export function isUnderSiteDomain({ siteDomain }: Pick<Config, 'siteDomain'>, fqdn: string): boolean {
  return fqdn.endsWith(`.${siteDomain}`);
}

/** Whether a name leads to the platform and to no site. `reserved` are further names of it. */
export function isPlatformName(config: Config, fqdn: string, reserved: readonly string[]): boolean {
  const platform = new URL(config.baseUrl).hostname;
  if (fqdn === platform || fqdn === config.siteDomain || reserved.includes(fqdn)) return true;
  return fqdn.endsWith(`.${platform}`) && !isUnderSiteDomain(config, fqdn);
}

/** Whether a site of this name could set cookies of the dashboard, as everything within one registered domain can. */
export function sharesCookies(config: Config, fqdn: string): boolean {
  const domain = registrableDomain(new URL(config.baseUrl).hostname);
  return domain !== undefined && isWithin(fqdn, domain);
}

/** Finds fault with a host name that is none of a site. `reserved` are further names of the platform. */
export function checkName(config: Config, field: string, fqdn: string, reserved: readonly string[]): Fault[] {
  const fault = (msg: string) => [bodyFault(field, `Value error, ${msg}`)];
  if (isPlatformName(config, fqdn, reserved)) return fault('this name belongs to the platform itself');
  if (sharesCookies(config, fqdn)) return fault(SHARED_DOMAIN);
  if (!isUnderSiteDomain(config, fqdn)) return [];
  const label = fqdn.slice(0, -config.siteDomain.length - 1);
  return label.includes('.') ? fault(`a name under ${config.siteDomain} has one label more and not several`) : [];
}

const MIN_PASSWORD_LENGTH = 10;
/** The most common ones that are long enough; a name or an address inside a password is as easy to guess. */
const COMMON_PASSWORDS = new Set(
  `1234567890 0123456789 1234567891 12345678910 123456789a 1q2w3e4r5t 1qaz2wsx3edc abcdefghij adminadmin administrator changeme123
   iloveyou12 iloveyou123 letmein123 passw0rd123 password01 password10 password11 password12 password123 password1234 passwordpassword
   q1w2e3r4t5 qwerty12345 qwerty123456 qwertyuiop qwertyuiop123 welcome123 wordpress1 wordpress123 zxcvbnm123`.split(
    /\s+/,
  ),
);

/** The first administrator's password opens a site that the whole world can reach. */
export function checkPassword({ cms_password, cms_username, cms_email }: NewSite): Fault[] {
  const read = asWordPressReadsIt(cms_password);
  const lower = read.toLowerCase();
  const fault = (msg: string) => [bodyFault('cms_password', `Value error, ${msg}`)];
  if (Buffer.byteLength(read) > MAX_PASSWORD_BYTES) return fault(`must have at most ${MAX_PASSWORD_BYTES} bytes`);
  if (read.length < MIN_PASSWORD_LENGTH)
    return fault(`must have at least ${MIN_PASSWORD_LENGTH} characters, not counting blanks around it`);
  if (new Set(lower).size < 4) return fault('too easy to guess: use at least four different characters');
  if (COMMON_PASSWORDS.has(lower)) return fault('too easy to guess: it is among the most common passwords');
  const names = [cms_username.toLowerCase(), cms_email.toLowerCase().split('@')[0] as string];
  if (names.some((name) => name.length >= 3 && lower.includes(name)))
    return fault('too easy to guess: it must not contain the user name or the email address');
  return [];
}

/** Reads addresses and ranges into one spelling; what is none is a fault that names its place in the list. */
export function readAddresses(texts: readonly string[], faults: Fault[]): string[] {
  const addresses = texts.map((text, index) => {
    const address = readAddress(text.trim());
    if (address === undefined) {
      const msg = 'Value error, not an IPv4 or IPv6 address or a CIDR range';
      faults.push({ loc: ['body', 'cdn_firewall_allowed_ips', index], msg, type: 'value_error' });
    }
    return address ?? '';
  });
  return [...new Set(addresses)];
}

function readAddress(text: string): string | undefined {
  // ipaddr.js takes 1.2 and 0x7f000001 for addresses, and an IPv6 zone means something on one machine alone.
  const isV4 = /^\d{1,3}(\.\d{1,3}){3}(\/\d{1,2})?$/.test(text);
  if (!isV4 && (!text.includes(':') || text.includes('%'))) return undefined;
  if (!text.includes('/')) return ipaddr.isValid(text) ? ipaddr.process(text).toString() : undefined;
  if (!ipaddr.isValidCIDR(text)) return undefined;
  const [address, prefix] = ipaddr.parseCIDR(text);
  const network =
    address.kind() === 'ipv4' ? ipaddr.IPv4.networkAddressFromCIDR(text) : ipaddr.IPv6.networkAddressFromCIDR(text);
  return `${network.toString()}/${prefix}`;
}
