import type { IncomingHttpHeaders } from 'node:http';
import { AddressList, parseAddress } from '#core/address-list.ts';

/** Who a request comes from: what the proxies in front say, as far as they are trusted, else the socket's address. */
export class Proxies {
  readonly #trusted: AddressList | undefined;

  constructor(trustProxy: readonly string[]) {
    if (trustProxy.length > 0) this.#trusted = new AddressList(trustProxy);
  }

  trusts(address: string | undefined): boolean {
    return this.#trusted?.includes(address) ?? false;
  }

  /** What trusted proxies said of the way here, to be passed on with the last of them added; else empty. */
  forwardedFor(peer: string | undefined, headers: IncomingHttpHeaders): string {
    const forwarded = headers['x-forwarded-for'];
    if (forwarded === undefined || !this.trusts(peer)) return '';
    return `${forwarded}, ${plain(peer ?? '')}`;
  }

  /** How the visitor came, where a trusted proxy says so. */
  protocol(peer: string | undefined, headers: IncomingHttpHeaders): 'http' | 'https' | undefined {
    const forwarded = headers['x-forwarded-proto'];
    if (forwarded === undefined || !this.trusts(peer)) return undefined;
    const stated = String(forwarded).split(',')[0]?.trim().toLowerCase();
    return stated === 'http' || stated === 'https' ? stated : undefined;
  }

  clientAddress(peer: string | undefined, headers: IncomingHttpHeaders): string {
    const own = peer ?? '';
    const forwarded = headers['x-forwarded-for'];
    if (!this.#trusted || forwarded === undefined || !this.trusts(own)) return plain(own);
    // Each proxy adds whom it heard from at the end; the first from there that is no proxy of ours is the visitor.
    const hops = String(forwarded).split(',').reverse();
    let address = own;
    for (const hop of hops) {
      const candidate = hop.trim();
      if (!parseAddress(candidate)) break;
      address = candidate;
      if (!this.trusts(candidate)) break;
    }
    return plain(address);
  }
}

/** IPv4 as dual-stack sockets report it, back in its own notation. */
function plain(address: string): string {
  return address.startsWith('::ffff:') && address.includes('.') ? address.slice(7) : address;
}
