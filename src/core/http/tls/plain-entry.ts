import type { IncomingMessage, ServerResponse } from 'node:http';
import type { TLSSocket } from 'node:tls';

const CHALLENGE = '/.well-known/acme-challenge/';

/** What the plain port needs to know where there is one with TLS, too. */
interface SecureNames {
  has(name: string): boolean;
  /** What an authority that checks a name by HTTP must find. */
  answerTo(token: string): Promise<string | undefined>;
}

export interface PlainEntryOptions {
  names: SecureNames;
  /** The port of https links; empty for the usual one. */
  port: string;
  /** Whether this address is a proxy's that may have had TLS in front of it. */
  isProxy: (address: string | undefined) => boolean;
}

type Pass = (request: IncomingMessage, response: ServerResponse) => void;

/**
 * What comes without TLS: an authority is answered, and everybody else is sent to the same address with TLS, where a certificate stands. Whatever
 * came with it, through a proxy or by a name without one, passes.
 */
export function plainEntry({ names, port, isProxy }: PlainEntryOptions, pass: Pass): Pass {
  const passOrSend: Pass = (request, response) => {
    const { url = '', method = '', socket, headers } = request;
    const name = (headers.host ?? '').replace(/:\d*$/, '').replace(/\.$/, '').toLowerCase();
    if (!url.startsWith('/') || !names.has(name) || isProxy(socket.remoteAddress)) pass(request, response);
    else sendSecure(response, method, `https://${name}${port && `:${port}`}${url}`);
  };
  return (request, response) => {
    const { url = '', method, socket } = request;
    if ((socket as TLSSocket).encrypted) pass(request, response);
    else if (!url.startsWith(CHALLENGE) || (method !== 'GET' && method !== 'HEAD')) passOrSend(request, response);
    else
      void names.answerTo(url.slice(CHALLENGE.length)).then(
        (answer) => (answer === undefined ? passOrSend(request, response) : sendAnswer(response, answer)),
        () => passOrSend(request, response),
      );
  };
}

/** A certificate may go, so nobody keeps this for good; who wants that has HSTS. */
function sendSecure(response: ServerResponse, method: string, location: string): void {
  const isRead = method === 'GET' || method === 'HEAD';
  response.writeHead(isRead ? 301 : 308, { location, 'cache-control': 'no-cache', 'content-length': '0' }).end();
}

function sendAnswer(response: ServerResponse, answer: string): void {
  response
    .writeHead(200, {
      'content-type': 'application/octet-stream',
      'content-length': String(Buffer.byteLength(answer)),
      'cache-control': 'no-store',
    })
    .end(answer);
}
