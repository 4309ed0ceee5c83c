import { request as ask, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { NOTICES, sendNotice } from '#edge/notices.ts';

/** Of the headers, what passes between a browser and an editor: nothing that is ours, nobody's word on who forwarded what. */
const KEPT_BACK =
  /^(?:connection|keep-alive|te|trailer|transfer-encoding|upgrade|expect|authorization|forwarded|via|x-real-ip|(?:x-forwarded|x-siteyard|proxy)(?:-.*)?)$/i;
const EDITORS_COOKIE = /^\s*vscode-[\w-]+=/;
const SAID_BESIDES = ['X-Frame-Options', 'SAMEORIGIN', 'X-Robots-Tag', 'noindex', 'Referrer-Policy', 'no-referrer'];

/** Cookies are passed where they are the editor's own. */
function cleaned(rawHeaders: readonly string[]): string[] {
  const kept: string[] = [];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const [name, value] = [rawHeaders[index] as string, rawHeaders[index + 1] as string];
    if (KEPT_BACK.test(name)) continue;
    if (/^cookie$/i.test(name)) {
      const own = value.split(';').filter((pair) => EDITORS_COOKIE.test(pair));
      if (own.length > 0) kept.push(name, own.join(';').trim());
    } else if (!/^set-cookie$/i.test(name) || EDITORS_COOKIE.test(value)) kept.push(name, value);
  }
  return kept;
}

/** One request and its answer. */
export async function relay(
  connection: Socket,
  request: IncomingMessage,
  response: ServerResponse,
  path: string,
): Promise<void> {
  const hasBody = request.headers['transfer-encoding'] !== undefined;
  const headers = [...cleaned(request.rawHeaders), ...(hasBody ? ['Transfer-Encoding', 'chunked'] : [])];
  const onward = ask({ createConnection: () => connection, method: request.method, path, headers });
  response.once('close', () => connection.destroy());
  const answer = await new Promise<IncomingMessage | undefined>((resolve) => {
    onward.once('response', resolve).on('error', () => resolve(undefined));
    pipeline(request, onward).catch(() => {});
    // A host behind a socket gives it paused.
    setImmediate(() => connection.resume());
  });
  if (!answer) return void sendNotice(response, NOTICES.stopped);
  response.writeHead(answer.statusCode ?? 502, [...cleaned(answer.rawHeaders), ...SAID_BESIDES]);
  // Whoever has gone needs no rest.
  await pipeline(answer, response).catch(() => response.destroy());
}

/** Leaves HTTP: from here on bytes go both ways until one side ends. The editor answers the handshake. */
export function joinSockets(connection: Socket, request: IncomingMessage, socket: Duplex, head: Buffer, path: string) {
  const headers = [...cleaned(request.rawHeaders), 'Connection', 'Upgrade', 'Upgrade', 'websocket'];
  let text = `GET ${path} HTTP/1.1\r\n`;
  for (let index = 0; index < headers.length; index += 2) text += `${headers[index]}: ${headers[index + 1]}\r\n`;
  connection.write(`${text}\r\n`);
  if (head.length > 0) connection.write(head);
  for (const [from, to] of [
    [socket, connection],
    [connection, socket],
  ] as const) {
    from.on('error', () => to.destroy());
    from.once('close', () => to.destroy());
    from.pipe(to);
  }
}
