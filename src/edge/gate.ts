import { createHash, timingSafeEqual } from 'node:crypto';
import { AddressList } from '#core/address-list.ts';
import type { HostedSite } from './hosted-site.ts';
import { keptPrivate } from './kept-private.ts';
import { isUnder } from './path-prefix.ts';
import { copyHeaders, framedHeaders, PreviewDoor } from './preview.ts';
import type { RawHeaders } from './raw-headers.ts';
import { type Route, serves } from './route.ts';
import { SignInPass } from './sign-in-pass.ts';
import { UsageCounter } from './usage.ts';

/** A route made ready for requests: whatever can be parsed or sorted once is, since every request passes here. */
export class Gate {
  readonly route: Route;
  readonly site: HostedSite;
  readonly counter: UsageCounter;
  readonly externalPaths: readonly ExternalPath[];
  readonly preview: PreviewDoor | undefined;
  /** The way past the HTTP sign-in for whoever comes from the dashboard. */
  readonly pass: SignInPass | undefined;
  /** What was seen of the site's files until then may be of before some work on it. */
  readonly madeAtMs = performance.now();
  /** The host that WordPress takes for its own, where this name is a further one. */
  readonly knownHost: string | undefined;
  /** For what the site asks of itself. */
  readonly isForItself: boolean;
  readonly #allowed: AddressList | undefined;
  readonly #signIn: Buffer | undefined;
  #forItself: Gate | undefined;

  constructor(route: Route, site: HostedSite, counter: UsageCounter, isForItself = false) {
    this.route = route;
    this.site = site;
    this.counter = counter;
    this.isForItself = isForItself;
    this.knownHost = route.alias === null ? undefined : new URL(route.site.url).host;
    if (route.preview) this.preview = new PreviewDoor(route.preview, route.fqdn);
    // A preview reaches nothing outside, and what is outside is not as it was back then.
    this.externalPaths = (route.preview ? [] : route.externalPaths)
      .map(({ path, target }) => ({ prefix: `/${path.replace(/^\/+|\/+$/g, '')}`, target }))
      .sort((a, b) => b.prefix.length - a.prefix.length);
    if (route.allowedAddresses) this.#allowed = new AddressList(route.allowedAddresses);
    if (route.signIn) {
      this.#signIn = digest(`${route.signIn.username}:${route.signIn.password}`);
      this.pass = new SignInPass(route.site, route.fqdn, this.#signIn);
    }
  }

  /**
   * The way in for what the site asks of itself: it is let in wherever it locks others out, and what goes to and fro is
   * nobody's visit and no traffic.
   */
  get forItself(): Gate {
    this.#forItself ??= new Gate(this.route, this.site, new UsageCounter(this.site, this.route.teamId), true);
    return this.#forItself;
  }

  /** Whoever comes may see the site as it is, under this very name. */
  get isOpen(): boolean {
    const { route, preview, isPrivate } = this;
    return serves(route) && route.alias !== 'redirect' && !preview && !isPrivate;
  }

  /** Not everybody may see the site, so nobody but the visitor may keep its answers. */
  get isPrivate(): boolean {
    return this.#allowed !== undefined || this.#signIn !== undefined;
  }

  /** Nobody keeps what a copy answers, and no search engine looks at it. */
  get #isCopy(): boolean {
    return this.preview !== undefined || this.route.site.isCopy;
  }

  /** Who may keep an answer of this site. */
  get keepers(): Keepers {
    if (this.#isCopy) return 'nobody';
    return this.isPrivate ? 'visitor' : 'everybody';
  }

  /** The headers of an answer as a visitor of this site may get them. */
  guarded(headers: RawHeaders): RawHeaders {
    const { preview } = this.route;
    if (preview) return framedHeaders(copyHeaders(headers), preview.framedBy);
    if (this.#isCopy) return copyHeaders(headers);
    return this.isPrivate ? keptPrivate(headers) : headers;
  }

  /** Whether visitors may have a cookie of the edge's own. */
  get hasDoor(): boolean {
    return this.preview !== undefined || this.pass !== undefined;
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

export type Keepers = 'everybody' | 'visitor' | 'nobody';

export interface ExternalPath {
  /** With a slash in front and none behind, except for `/` itself. */
  prefix: string;
  target: string;
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
