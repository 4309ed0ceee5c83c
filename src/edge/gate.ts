import { createHash, timingSafeEqual } from 'node:crypto';
import { AddressList } from '#core/address-list.ts';
import type { HostedSite } from './hosted-site.ts';
import { isUnder } from './path-prefix.ts';
import type { Route } from './route.ts';
import type { UsageCounter } from './usage.ts';

/** A route made ready for requests: whatever can be parsed or sorted once is, since every request passes here. */
export class Gate {
  readonly route: Route;
  readonly site: HostedSite;
  readonly counter: UsageCounter;
  readonly externalPaths: readonly ExternalPath[];
  readonly #allowed: AddressList | undefined;
  readonly #signIn: Buffer | undefined;

  constructor(route: Route, site: HostedSite, counter: UsageCounter) {
    this.route = route;
    this.site = site;
    this.counter = counter;
    this.externalPaths = route.externalPaths
      .map(({ path, target }) => ({ prefix: `/${path.replace(/^\/+|\/+$/g, '')}`, target }))
      .sort((a, b) => b.prefix.length - a.prefix.length);
    if (route.allowedAddresses) this.#allowed = new AddressList(route.allowedAddresses);
    if (route.signIn) this.#signIn = digest(`${route.signIn.username}:${route.signIn.password}`);
  }

  /** Not everybody may see the site, so nobody but the visitor may keep its answers. */
  get isPrivate(): boolean {
    return this.#allowed !== undefined || this.#signIn !== undefined;
  }

  get asksForSignIn(): boolean {
    return this.#signIn !== undefined;
  }

  /** Whether the firewall is on at all; only then is it worth finding out who comes. */
  get hasFirewall(): boolean {
    return this.#allowed !== undefined;
  }

  admits(address: string | undefined): boolean {
    return this.#allowed?.includes(address) ?? true;
  }

  /** Compares digests of equal length, so that the time it takes says nothing of the password. */
  acceptsSignIn(authorization: string | undefined): boolean {
    if (!this.#signIn) return true;
    const encoded = /^basic +([a-z0-9+/=_-]+) *$/i.exec(authorization ?? '')?.[1];
    if (encoded === undefined) return false;
    return timingSafeEqual(digest(Buffer.from(encoded, 'base64').toString('utf8')), this.#signIn);
  }

  /** The external path with the longest prefix of whole segments. */
  externalPath(path: string): ExternalPath | undefined {
    return this.externalPaths.find(({ prefix }) => isUnder(path, prefix));
  }
}

export interface ExternalPath {
  /** With a slash in front and none behind, except for `/` itself. */
  prefix: string;
  target: string;
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
