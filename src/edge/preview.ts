import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { cookiesOf, DOOR_COOKIE, doorCookie, setDoorCookies } from './door-cookie.ts';
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

  constructor({ key, expiresAt }: Pick<NonNullable<Route['preview']>, 'key' | 'expiresAt'>, host: string) {
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
    const isKnown = cookiesOf(visit, 'preview').some((value) => this.#isSigned('visit', value, nowMs));
    if (isKnown) return undefined;
    // Whoever stands in a frame has come by the dashboard, and what the door gave them is gone.
    return visit.headers['sec-fetch-dest'] === 'iframe' ? NOTICES.previewInFrame : NOTICES.preview;
  }

  #welcome(visit: PreviewVisit, nowMs: number): Notice {
    const value = sign(this.#key, 'visit', this.#host, String(this.#endsAtMs));
    const name = doorCookie(visit, 'preview');
    const cookie = setDoorCookies(visit, name, value, this.#endsAtMs - nowMs);
    // The address that carried the token is told to nobody.
    const headers = { location: '/', 'set-cookie': cookie, 'referrer-policy': 'no-referrer' };
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

/**
 * The dashboard shows a preview in a frame, with its own bar around it, and nobody else does: whatever the site says of frames is left out, and this is
 * said instead. Nothing is put into the page itself.
 */
export function framedHeaders(headers: RawHeaders, framedBy: string): RawHeaders {
  const kept: RawHeaders = [];
  for (let index = 0; index < headers.length; index += 2) {
    const [name, value] = [headers[index] as string, headers[index + 1] as string];
    if (/^x-frame-options$/i.test(name)) continue;
    // A header may hold several policies, and each has its directives.
    const isPolicy = /^content-security-policy$/i.test(name);
    const said = isPolicy ? value.replaceAll(/frame-ancestors[^;,]*;?\s*/gi, '') : value;
    if (!isPolicy || said.trim() !== '') kept.push(name, said);
  }
  return [...kept, 'Content-Security-Policy', `frame-ancestors 'self' ${framedBy}`];
}

/** An answer's headers as a visitor of a copy gets them: WordPress sets no cookie of the name that a preview's door has. */
export function copyHeaders(headers: RawHeaders): RawHeaders {
  const kept: RawHeaders = [];
  for (let index = 0; index < headers.length; index += 2) {
    const [name, value] = [headers[index] as string, headers[index + 1] as string];
    const isOwnCookie = /^set-cookie$/i.test(name) && DOOR_COOKIE.test(value);
    if (!isOwnCookie && !SAID_INSTEAD.test(name)) kept.push(name, value);
  }
  return [...kept, ...KEPT_BY_NOBODY];
}
