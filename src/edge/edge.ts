import type { IncomingMessage, ServerResponse } from 'node:http';

/** The visitor's way to a site. Until sites exist, every host that is not the platform's gets a page that says so. */
export function serveSites(request: IncomingMessage, response: ServerResponse): void {
  const host = (request.headers.host ?? '').replaceAll(/[^\w.:-]/g, '').slice(0, 253);
  const page = `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>No site here</title><style>body{font:16px/1.5 system-ui;max-width:34rem;margin:20vh auto;padding:0 1rem;color:#333}</style>
<h1>No site here</h1><p>There is no site at <strong>${host}</strong>. Check the spelling of the address.</p></html>`;
  response.writeHead(404, {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'",
    'cache-control': 'no-store',
    connection: 'close',
  });
  response.end(request.method === 'HEAD' ? '' : page);
}
