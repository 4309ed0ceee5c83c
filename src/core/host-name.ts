import { domainToASCII } from 'node:url';
import { getDomain } from 'tldts';

const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
const MAX_LENGTH = 253;
/** What the reader of URLs would take for the end of the name, decode or leave out. */
const NOT_IN_A_NAME = /[\s\p{Cc}/?#%\\:@[\]]/u;

/** A host name with a port where it is not that of https; undefined for anything else. */
export function readHost(text: string): string | undefined {
  const [, before = '', digits] = /^([^:]*)(?::(\d{1,5}))?$/.exec(text) ?? [];
  const name = readHostName(before);
  const port = Number(digits ?? 443);
  if (name === undefined || port < 1 || port > 65_535) return undefined;
  return port === 443 ? name : `${name}:${port}`;
}

/**
 * Reads a host name as DNS knows it: in ASCII (IDNA), lower case, without the dot of the root, of two labels at least.
 * Undefined for anything else, an address in any spelling included.
 */
export function readHostName(text: string): string | undefined {
  // Longer than any name could be even before its letters are encoded, so not worth encoding.
  if (text.length > MAX_LENGTH + 1 || NOT_IN_A_NAME.test(text)) return undefined;
  const ascii = domainToASCII(text).replace(/\.$/, '');
  if (ascii.length === 0 || ascii.length > MAX_LENGTH) return undefined;
  const labels = ascii.split('.');
  const isName = labels.length >= 2 && labels.every((label) => LABEL.test(label));
  // Browsers take a name whose last label is a number for an IPv4 address.
  return isName && !/^\d+$/.test(labels.at(-1) as string) ? ascii : undefined;
}

/**
 * What was registered, one label below a public suffix (the list of which names the suffixes of hosters too). Every host
 * within it can set cookies for every other. Undefined where there is no such thing: an address, a single label, a public
 * suffix itself, and all of localhost.
 */
export function registrableDomain(host: string): string | undefined {
  if (isWithin(host, 'localhost')) return undefined;
  return getDomain(host, { allowPrivateDomains: true }) ?? undefined;
}

export function isWithin(host: string, domain: string): boolean {
  return host === domain || host.endsWith(`.${domain}`);
}
