import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { NOTICES, type Notice } from './notices.ts';
import type { RawHeaders } from './raw-headers.ts';
import type { Route } from './route.ts';

/**
 * The door of a preview. The dashboard sends its user to the preview's own host with a token that is good for a moment; the
 * door takes it for a cookie that is good until the preview ends, and lets nobody else in. Both are signed with the preview's
 * key for its host, each for its own purpose, so neither serves as the other or elsewhere.
 */
const ENTRANCE = '/.siteyard/preview';
const TOKEN_QUERY = /^\?token=([\w.-]+)$/;
const COOKIE = 'siteyard_preview';
/** Browsers take a cookie of such a name from nobody but the host itself, over https alone. */
const SECURE_COOKIE = `__Host-${COOKIE}`;
const OWN_COOKIE = new RegExp(`^\\s*(?:${SECURE_COOKIE}|${COOKIE})\\s*(?:=|$)`, 'i');

/** What every answer of a preview says instead of what the site says. */
export const KEPT_BY_NOBODY: RawHeaders = ['Cache-Control', 'private, no-store', 'X-Robots-Tag', 'noindex'];
const SAID_INSTEAD = /^(?:(?:cdn-)?cache-control|surrogate-control|expires|x-robots-tag)$/i;

/** The token of `/.siteyard/preview?token=…`; it opens the preview until it expires. */
export function previewToken(key: string, host: string, expiresMs: number): string {
  return sign(key, 'enter', host, String(expiresMs));
}

/** What the door must know of a visit. */
interface PreviewVisit {
  request: Pick<IncomingMessage, 'method'>;
  headers: IncomingHttpHeaders;
  path: string;
  query: string;
  protocol: string;
}

export class PreviewDoor {
  readonly #key: string;
  readonly #host: string;
  readonly #endsAtMs: number;

  constructor({ key, expiresAt }: NonNullable<Route['preview']>, host: string) {
    this.#key = key;
    this.#host = host;
    this.#endsAtMs = expiresAt.getTime();
  }

  /** What the visitor sees in place of the site; undefined for those who are let in. */
  noticeFor(visit: PreviewVisit): Notice | undefined {
    const nowMs = Date.now();
    if (nowMs >= this.#endsAtMs) return NOTICES.previewEnded;
    if (visit.path === ENTRANCE) {
      const token = visit.request.method === 'GET' ? TOKEN_QUERY.exec(visit.query)?.[1] : undefined;
      return this.#isSigned('enter', token, nowMs) ? this.#welcome(visit, nowMs) : NOTICES.preview;
    }
    // On plain http another site of the same domain can add a cookie of this name, so any good one counts.
    const isKnown = readCookies(visit).some((value) => this.#isSigned('visit', value, nowMs));
    return isKnown ? undefined : NOTICES.preview;
  }

  #welcome(visit: PreviewVisit, nowMs: number): Notice {
    const cookie = [
      `${cookieName(visit)}=${sign(this.#key, 'visit', this.#host, String(this.#endsAtMs))}`,
      'Path=/',
      `Max-Age=${Math.ceil((this.#endsAtMs - nowMs) / 1000)}`,
      'HttpOnly',
      'SameSite=Lax',
      ...(isSecure(visit) ? ['Secure'] : []),
    ];
    // The address that carried the token is told to nobody.
    const headers = { location: '/', 'set-cookie': cookie.join('; '), 'referrer-policy': 'no-referrer' };
    return { ...NOTICES.previewOpened, headers };
  }

  #isSigned(purpose: Purpose, signed: string | undefined, nowMs: number): boolean {
    const expiresMs = /^(\d{1,15})\./.exec(signed ?? '')?.[1];
    if (signed === undefined || expiresMs === undefined) return false;
    const given = Buffer.from(signed);
    const right = Buffer.from(sign(this.#key, purpose, this.#host, expiresMs));
    return given.length === right.length && timingSafeEqual(given, right) && nowMs < Number(expiresMs);
  }
}

type Purpose = 'enter' | 'visit';

function sign(key: string, purpose: Purpose, host: string, expiresMs: string): string {
  const signature = createHmac('sha256', key).update(`${purpose}:${host}:${expiresMs}`).digest('base64url');
  return `${expiresMs}.${signature}`;
}

/** An answer's headers as a visitor of a copy gets them: WordPress sets no cookie of the name that a preview's door has. */
export function copyHeaders(headers: RawHeaders): RawHeaders {
  const kept: RawHeaders = [];
  for (let index = 0; index < headers.length; index += 2) {
    const [name, value] = [headers[index] as string, headers[index + 1] as string];
    const isOwnCookie = /^set-cookie$/i.test(name) && OWN_COOKIE.test(value);
    if (!isOwnCookie && !SAID_INSTEAD.test(name)) kept.push(name, value);
  }
  return [...kept, ...KEPT_BY_NOBODY];
}

/** A Cookie header as WordPress gets it: without what opens the door. Undefined: nothing is left of it. */
export function withoutPreviewCookie(cookie: string): string | undefined {
  const kept = cookie.split(';').filter((pair) => !OWN_COOKIE.test(pair));
  return kept.length === 0 ? undefined : kept.join(';').trim();
}

function readCookies(visit: PreviewVisit): string[] {
  const start = `${cookieName(visit)}=`;
  const pairs = (visit.headers.cookie ?? '').split(';').map((pair) => pair.trim());
  return pairs.filter((pair) => pair.startsWith(start)).map((pair) => pair.slice(start.length));
}

function cookieName(visit: PreviewVisit): string {
  return isSecure(visit) ? SECURE_COOKIE : COOKIE;
}

function isSecure({ protocol }: PreviewVisit): boolean {
  return protocol === 'https';
}
