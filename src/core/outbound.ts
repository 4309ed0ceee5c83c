import { type LookupAddress, type LookupOptions, lookup } from 'node:dns';
import http, { type ClientRequest, type RequestOptions } from 'node:http';
import https from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';
import { AddressList, parseAddress } from './address-list.ts';

/**
 * The one way out for every call to an address that a user can name. A name is resolved once, each address is checked,
 * and exactly what was checked is dialled, so that a name which answers differently the second time gains nothing.
 * Redirects are not followed here: whoever follows one comes back with the new URL and is checked again.
 */
export class OutboundRefused extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'OutboundRefused';
  }
}

const IDLE_CONNECTIONS = 16;
const GLOBAL_UNICAST: [ipaddr.IPv6, number] = [ipaddr.IPv6.parse('2000::'), 3];

export interface OutboundOptions {
  /** Addresses and ranges that an operator allows although they are not public. */
  allow?: readonly string[];
}

export type OutboundRequest = Pick<RequestOptions, 'method' | 'headers' | 'signal' | 'timeout'>;

export class Outbound {
  readonly #allowed: AddressList;
  readonly #plain: http.Agent;
  readonly #secure: https.Agent;

  constructor({ allow = [] }: OutboundOptions = {}) {
    this.#allowed = new AddressList(allow);
    const settings = { keepAlive: true, maxFreeSockets: IDLE_CONNECTIONS, lookup: this.#lookup, timeout: 60_000 };
    this.#plain = new http.Agent(settings);
    this.#secure = new https.Agent(settings);
  }

  /** Opens a request; its body is written and its answer (or upgrade) read as with node:http. */
  request(url: string | URL, options: OutboundRequest = {}): ClientRequest {
    const target = this.checkUrl(url);
    return target.protocol === 'https:'
      ? https.request(target, { ...options, agent: this.#secure, lookup: this.#lookup })
      : http.request(target, { ...options, agent: this.#plain, lookup: this.#lookup });
  }

  /** Refuses what can be told from the URL alone, for what users enter; names are checked again when they are dialled. */
  checkUrl(url: string | URL): URL {
    const target = URL.parse(String(url));
    if (!target) throw new OutboundRefused('This is not a URL.');
    if (target.protocol !== 'http:' && target.protocol !== 'https:')
      throw new OutboundRefused('The URL must start with http:// or https://.');
    if (target.username || target.password) throw new OutboundRefused('The URL must not hold a user name or password.');
    const host = target.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
    const isLocalName = host === 'localhost' || host.endsWith('.localhost');
    // Sockets do not look up what is an address already, so it is checked here.
    if (isIP(host) !== 0 ? !this.#mayDial(host) : isLocalName && !this.#mayDial('127.0.0.1'))
      throw new OutboundRefused(`${host} is not a public address.`);
    return target;
  }

  close(): void {
    this.#plain.destroy();
    this.#secure.destroy();
  }

  #mayDial(address: string): boolean {
    return isPublic(address) || this.#allowed.includes(address);
  }

  readonly #lookup: LookupFunction = (hostname, options: LookupOptions, done) => {
    lookup(hostname, { ...options, all: true }, (error, found: LookupAddress[]) => {
      if (error) return done(error, []);
      const safe = found.filter(({ address }) => this.#mayDial(address));
      const first = safe[0];
      if (!first) return done(new OutboundRefused(`${hostname} is not at a public address.`), []);
      if (options.all) done(null, safe);
      else done(null, first.address, first.family);
    });
  };
}

/**
 * Public unicast and nothing else. IPv6 must lie in 2000::/3 besides: below it are ancient notations of IPv4
 * (`::127.0.0.1`), and the ways to write IPv4 inside of it (6to4, Teredo, NAT64) have ranges of their own.
 */
export function isPublic(text: string): boolean {
  const address = parseAddress(text);
  if (address?.range() !== 'unicast') return false;
  return address.kind() === 'ipv4' || (address as ipaddr.IPv6).match(...GLOBAL_UNICAST);
}
