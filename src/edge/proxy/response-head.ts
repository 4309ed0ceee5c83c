import type { ClientRequest, IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { SiteFailure } from '#runtimes/runtime.ts';

/** The head of a response and, by themselves, its trailers. */
export const MAX_HEAD_BYTES = 64 * 1024;
const MAX_HEADERS = 200;
/** Heads with a status of 1xx before the one of the response itself. */
const MAX_INFORMATIONAL = 16;
const ADVICE = 'Find the plugin, theme or server that sends them, and have it send fewer or shorter ones.';

/** A response is refused for its head. The message is for the site's owner. */
export class ResponseHeadError extends SiteFailure {
  constructor(problem: string) {
    super('crash', `${problem} ${ADVICE}`);
  }
}

/** Each header costs time wherever the head passes. */
export function tooManyHeaders(headers: readonly string[]): ResponseHeadError | undefined {
  const count = headers.length / 2;
  if (count <= MAX_HEADERS) return undefined;
  const { name, total } = largestTotal(headers, () => 1);
  return new ResponseHeadError(
    `The response has ${format(count)} headers, ${format(total)} of them ${name}; the limit is ${MAX_HEADERS}.`,
  );
}

/** `head`: what has arrived of it. */
export function headTooLarge(head: string): ResponseHeadError {
  const headers = head
    .split('\r\n')
    .slice(1)
    .flatMap((line) => [line.split(':', 1)[0] as string, line]);
  const { name, total } = largestTotal(headers, (line) => line.length + 2);
  const limit = `The headers of the response are larger than ${MAX_HEAD_BYTES / 1024} kB`;
  return new ResponseHeadError(name === '' ? `${limit}.` : `${limit}; ${name} takes ${format(total)} bytes or more.`);
}

/** `count`: those that came before the response. */
export function tooManyInformational(count: number): ResponseHeadError | undefined {
  if (count <= MAX_INFORMATIONAL) return undefined;
  return new ResponseHeadError(`More than ${MAX_INFORMATIONAL} heads with a status of 1xx came before the response.`);
}

export interface Upgraded {
  message: IncomingMessage;
  /** Absent where the other side did not switch protocols and sent an ordinary response. */
  tunnel?: { socket: Duplex; head: Buffer };
}

/** Resolves with the response to a request of node:http whose `maxHeaderSize` is MAX_HEAD_BYTES. */
export function receiveResponse(request: ClientRequest): Promise<Upgraded> {
  return new Promise((resolve, reject) => {
    let informational = 0;
    request.on('information', () => {
      const problem = tooManyInformational(++informational);
      if (!problem) return;
      // The response itself may have arrived together with them.
      reject(problem);
      request.destroy(problem);
    });
    const take = (upgraded: Upgraded) => {
      const problem = tooManyHeaders(upgraded.message.rawHeaders);
      if (!problem) return resolve(upgraded);
      (upgraded.tunnel?.socket ?? upgraded.message).destroy();
      reject(problem);
    };
    request.once('upgrade', (message, socket, head) => take({ message, tunnel: { socket, head } }));
    request.once('response', (message) => take({ message }));
    // Stays for good: what breaks after the response began shows in the response.
    request.on('error', (error: NodeJS.ErrnoException) =>
      reject(error.code === 'HPE_HEADER_OVERFLOW' ? headTooLarge('') : error),
    );
  });
}

/** The name whose headers weigh most together. */
function largestTotal(headers: readonly string[], weigh: (value: string) => number): { name: string; total: number } {
  const totals = new Map<string, number>();
  for (let index = 0; index < headers.length; index += 2) {
    const name = headers[index] as string;
    totals.set(name, (totals.get(name) ?? 0) + weigh(headers[index + 1] as string));
  }
  const [name, total] = [...totals].reduce((largest, next) => (next[1] > largest[1] ? next : largest), ['', 0]);
  return { name, total };
}

function format(count: number): string {
  return count.toLocaleString('en');
}
