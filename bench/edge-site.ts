import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { gzipSync } from 'node:zlib';

/** The site behind both peers, on a unix socket: `/page…` may be cached, `/echo…` answers what was asked, uncached. */
const [socketPath = '', pageFile = ''] = process.argv.slice(2);
const page = readFileSync(pageFile);
const gzipped = gzipSync(page);

createServer((request, response) => {
  if (request.url?.startsWith('/echo')) {
    const body = `${request.method} ${request.url} ${request.headers.host}`;
    response.writeHead(200, {
      'content-type': 'text/plain',
      'content-length': body.length,
      'cache-control': 'no-store',
    });
    return void response.end(body);
  }
  const isCached = request.url?.startsWith('/page');
  const takesGzip = /gzip/.test(String(request.headers['accept-encoding']));
  const body = takesGzip ? gzipped : page;
  response.writeHead(200, {
    'content-type': 'text/html; charset=UTF-8',
    'content-length': body.length,
    'cache-control': isCached ? 'max-age=3600' : 'no-store',
    vary: 'Accept-Encoding',
    ...(takesGzip && { 'content-encoding': 'gzip' }),
  });
  response.end(body);
}).listen(socketPath, () => console.log('ready: 0'));
