import { isIP } from 'node:net';
import { isAbsolute } from 'node:path';
import ipaddr from 'ipaddr.js';
import { Type } from 'typebox';

/**
 * The kinds of variables. Each is a schema whose description is for operators; `must` says what a value has to be, and `is` what
 * each entry of a list has to be, where the schema's own limits do not.
 */
interface Limits {
  minLength?: number;
  maxLength?: number;
}

export const text = (description: string, limits: Limits = {}) =>
  Type.Optional(Type.String({ description, ...limits }));

export const textOr = (fallback: string, description: string, limits: Limits = {}) =>
  Type.String({ description, default: fallback, ...limits });

/** Text that only some function can tell right from wrong. */
export const checked = (description: string, must: string, isRight: (value: string) => boolean) =>
  Type.Refine(Type.String({ description, must }), isRight);

export const checkedOr = (fallback: string, description: string, must: string, isRight: (value: string) => boolean) =>
  Type.Refine(Type.String({ description, must, default: fallback }), isRight);

export const number = (fallback: number, [minimum, maximum]: [number, number], description: string) =>
  Type.Number({ description, default: fallback, minimum, maximum });

export function word<const Word extends string>(words: readonly Word[], description: string) {
  return Type.Unsafe<Word>({ type: 'string', description, enum: [...words] });
}

export function wordOr<const Word extends string>(fallback: Word, words: readonly Word[], description: string) {
  return Type.Unsafe<Word>({ ...word(words, description), default: fallback });
}

export const url = (description: string, ...protocols: string[]) =>
  Type.Optional(checked(description, startsWith(protocols), (value) => isUrl(value, protocols)));

export const startsWith = (protocols: readonly string[]) =>
  `be a URL that starts with ${protocols.map((protocol) => `${protocol}//`).join(' or ')}`;

export const isUrl = (value: string, protocols: readonly string[]) =>
  URL.canParse(value) && protocols.includes(new URL(value).protocol);

/** With commas or blanks between the entries. */
export const list = (description: string, is: string, isRight: (entry: string) => boolean) =>
  Type.Array(Type.Refine(Type.String({ is }), isRight), { description, default: [] });

export const networks = (description: string) => list(description, 'address or CIDR range', isNetwork);

/** Node's reader of the address, since ipaddr.js would take 10/8; then its reader of the whole range. */
function isNetwork(entry: string): boolean {
  return isIP(entry.split('/')[0] ?? '') !== 0 && (!entry.includes('/') || ipaddr.isValidCIDR(entry));
}

export const servers = (description: string) => list(description, 'address', isServer);

/** One of them. */
export const server = (description: string) =>
  Type.Optional(checked(description, 'be an address, or one with a port', isServer));

/** `192.0.2.1`, `192.0.2.1:53`, `2001:db8::1` or `[2001:db8::1]:53`. */
function isServer(entry: string): boolean {
  if (isIP(entry) !== 0) return true;
  const [, host = '', port] = /^(.+?)(?::(\d{1,5}))?$/.exec(entry) ?? [];
  const address = /^\[(.+)\]$/.exec(host)?.[1];
  const isAddress = address === undefined ? isIP(host) === 4 : isIP(address) === 6;
  return isAddress && (port === undefined || (Number(port) >= 1 && Number(port) <= 65_535));
}

export const folders = (description: string) => list(description, 'absolute path', isAbsolute);

/** A key may hold blanks, so only commas stand between keys, and what is wrong with one is told without showing it. */
export const keys = (description: string, minLength: number) =>
  Type.Array(Type.String({ minLength }), {
    description,
    default: [],
    separator: ',',
    must: `be keys of at least ${minLength} characters each, with commas between them`,
  });
