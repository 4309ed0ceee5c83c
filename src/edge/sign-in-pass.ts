import { createHmac, timingSafeEqual } from 'node:crypto';
import type { SiteSpec } from '#runtimes/runtime.ts';
import { isLoginLink } from '#runtimes/wordpress/access.ts';
import { cookiesOf, doorCookie, setDoorCookie, type Visitor } from './door-cookie.ts';
import { NOTICES, type Notice } from './notices.ts';

const LINK_PATH = '/wp-login.php';
const LINK_QUERY = /^\?siteyard_login=([\w.-]+)$/;
const PASS_MS = 12 * 3_600_000;

/** What has to be known of a visit. */
interface Coming extends Visitor {
  path: string;
  query: string;
  isRead: boolean;
}

/**
 * Lets whoever comes by the dashboard's one-click link past the HTTP sign-in: they have shown already that they may see the site. The link
 * is good for a minute, the pass for the rest of the day or until the password changes.
 */
export class SignInPass {
  readonly #site: SiteSpec;
  readonly #host: string;
  /** Of the user name and the password: with another one, passes are void. */
  readonly #signIn: Buffer;

  constructor(site: SiteSpec, host: string, signIn: Buffer) {
    this.#site = site;
    this.#host = host;
    this.#signIn = signIn;
  }

  isHeldBy(visit: Visitor): boolean {
    return cookiesOf(visit, 'pass').some((value) => this.#isGood(value));
  }

  /** Where the visitor comes by such a link: the same address once more, with the pass. WordPress has the link to see yet. */
  grantedTo(visit: Coming): Notice | undefined {
    const link = visit.isRead && visit.path === LINK_PATH ? LINK_QUERY.exec(visit.query)?.[1] : undefined;
    if (link === undefined || !isLoginLink(this.#site, link)) return undefined;
    const expiresMs = String(Date.now() + PASS_MS);
    const headers = {
      location: `${visit.path}${visit.query}`,
      'set-cookie': setDoorCookie(visit, doorCookie(visit, 'pass'), this.#signed(expiresMs), PASS_MS),
      'referrer-policy': 'no-referrer',
    };
    return { ...NOTICES.passed, headers };
  }

  #isGood(value: string): boolean {
    const expiresMs = /^(\d{1,15})\./.exec(value)?.[1];
    if (expiresMs === undefined || Date.now() >= Number(expiresMs)) return false;
    const [given, right] = [Buffer.from(value), Buffer.from(this.#signed(expiresMs))];
    return given.length === right.length && timingSafeEqual(given, right);
  }

  #signed(expiresMs: string): string {
    const signature = createHmac('sha256', this.#site.accessKey)
      .update(`pass:${this.#host}:${expiresMs}:`)
      .update(this.#signIn)
      .digest('base64url');
    return `${expiresMs}.${signature}`;
  }
}
