import { createServer } from 'node:http';
import type { Stop } from '#core/part.ts';

/** Prometheus on a port of its own: no token, so it belongs on an address that only the scraper reaches. */
export async function serveMetrics(
  render: () => Promise<string>,
  contentType: string,
  { host, port }: { host: string; port: number },
): Promise<Stop> {
  const server = createServer(async (request, response) => {
    if (request.url !== '/metrics') return void response.writeHead(404).end();
    const page = await render().catch(() => undefined);
    if (page === undefined) response.writeHead(503).end();
    else response.writeHead(200, { 'content-type': contentType }).end(page);
  });
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, host, resolve));
  return () => new Promise<void>((resolve) => server.close(() => resolve()));
}
