import type { Visit } from './visit.ts';

/**
 * Sends a visitor of a further name to the same page at the site's own address. For good, as search engines read it; but no browser keeps it, because
 * the two names may change places, and who remembers both ways goes round in circles.
 */
export function sendOn(visit: Visit): void {
  const { response, gate, path, query, isRead } = visit;
  visit.countBytesOnClose();
  const to = `${gate.route.site.url}${path}${query}`;
  // Only 308 has a body sent again.
  response
    .writeHead(isRead ? 301 : 308, ['Location', to, 'Cache-Control', 'no-cache', 'Content-Length', '0'])
    .end();
}
