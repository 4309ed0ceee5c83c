import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The least that Node can do: each file named as an argument is answered under its number, from memory. */
const bodies = process.argv.slice(2).map((file) => readFileSync(file));

const server = createServer((request, response) => {
  const body = bodies[Number(request.url?.slice(1))];
  // A body that was sent is read to its end, as every server has to.
  request.resume().on('end', () => {
    if (!body) return void response.writeHead(404).end();
    response.writeHead(200, { 'content-type': 'application/json; charset=utf-8', 'content-length': body.length });
    response.end(body);
  });
});
server.listen(0, '127.0.0.1', () => console.log(`ready: ${(server.address() as AddressInfo).port}`));
