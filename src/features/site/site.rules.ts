import ipaddr from 'ipaddr.js';
import { bodyFault, type Fault } from '#core/errors.ts';
import type { SiteRow } from '#features/instance/instance.ts';
import { asWordPressReadsIt, MAX_PASSWORD_BYTES } from '#runtimes/wordpress/password.ts';
import type { NewSite } from './site.schema.ts';

/** What a request about a site may say, beyond what its schema can tell. */

/** Whatever WordPress takes is taken: how good a password is, is the business of whoever chooses it. */
export function checkPassword({ cms_password }: Pick<NewSite, 'cms_password'>): Fault[] {
  const read = asWordPressReadsIt(cms_password);
  const fault = (msg: string) => [bodyFault('cms_password', `Value error, ${msg}`)];
  if (Buffer.byteLength(read) > MAX_PASSWORD_BYTES)
    return fault(`WordPress takes at most ${MAX_PASSWORD_BYTES} bytes, and counts a quote or a backslash as two`);
  // PHP takes a lone zero for nothing.
  if (read === '' || read === '0') return fault('WordPress takes this for an empty password');
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

export function checkFirewall(site: Pick<SiteRow, 'cdn_firewall_enabled' | 'cdn_firewall_allowed_ips'>): Fault[] {
  if (!site.cdn_firewall_enabled || site.cdn_firewall_allowed_ips.length > 0) return [];
  const msg = 'Value error, name the addresses that get in: with none, a firewall would keep everybody out';
  return [bodyFault('cdn_firewall_allowed_ips', msg)];
}

/** What takes effect at the edge at once. */
export const SETTINGS = [
  'http_auth_enabled',
  'debug_enabled',
  'cdn_dev_mode_enabled',
  'cdn_firewall_enabled',
  'cdn_firewall_allowed_ips',
] as const;

/** Those of these fields that would be others than they are. */
export function changesOf<Input extends object, Name extends keyof Input & keyof SiteRow>(
  row: Pick<SiteRow, Name>,
  input: Input,
  names: readonly Name[],
): Pick<Input, Name> {
  const given = names.filter(
    (name) => input[name] !== undefined && JSON.stringify(input[name]) !== JSON.stringify(row[name]),
  );
  return Object.fromEntries(given.map((name) => [name, input[name]])) as Pick<Input, Name>;
}

const WORDS: Record<string, string> = {
  git_url: 'the Git repository',
  is_free: 'the free slot',
  http_auth_enabled: 'the sign-in',
  debug_enabled: 'the debug mode',
  code_server_enabled: 'the code server',
  code_server_password: 'the password of the code server',
  cdn_dev_mode_enabled: 'the development mode',
  cdn_firewall_enabled: 'the firewall',
  cdn_firewall_allowed_ips: 'the allowed addresses',
};

/** What whoever changes a field does, in the words of an event. */
export function didTo(field: string, value: unknown): string {
  const word = WORDS[field] ?? field;
  return typeof value === 'boolean' ? `turned ${value ? 'on' : 'off'} ${word}` : `changed ${word}`;
}
