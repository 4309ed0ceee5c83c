import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http';

export interface SiteRequest {
  method: string;
  /** As it was sent: the path with its query. */
  url: string;
  path: string;
  query: URLSearchParams;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

export interface Answer {
  status: number;
  headers: OutgoingHttpHeaders;
  body: string;
}

export function html(status: number, body: string, headers: OutgoingHttpHeaders = {}): Answer {
  return { status, headers: { 'content-type': 'text/html; charset=UTF-8', ...headers }, body };
}

export function json(status: number, body: unknown, headers: OutgoingHttpHeaders = {}): Answer {
  return {
    status,
    headers: { 'content-type': 'application/json; charset=UTF-8', ...headers },
    body: JSON.stringify(body),
  };
}

export function redirect(location: string, headers: OutgoingHttpHeaders = {}): Answer {
  return html(302, '', { location, ...NO_CACHE, ...headers });
}

/** What WordPress says of whatever is for one person, or for this moment. */
export const NO_CACHE = { 'cache-control': 'no-cache, must-revalidate, max-age=0, no-store, private' };

export function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
