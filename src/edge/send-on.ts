import { withStrictTransport } from './strict-transport.ts';
import type { Visit } from './visit.ts';

/**
 * Sends a visitor of a further name to the same page at the site's own address. For good, as search engines read it; but no browser keeps it, because
 * the two names may change places, and who remembers both ways goes round in circles.
 */
export function sendOn(visit: Visit, hstsSeconds: number): void {
  const { response, gate, path, query, isRead } = visit;
  visit.countBytesOnClose();
  const to = `${gate.route.site.url}${path}${query}`;
  const headers = withStrictTransport(
    ['Location', to, 'Cache-Control', 'no-cache', 'Content-Length', '0'],
    visit,
    hstsSeconds,
  );
  // Only 308 has a body sent again.
  response.writeHead(isRead ? 301 : 308, headers).end();
}
