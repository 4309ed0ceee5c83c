import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';

/**
 * Whether everybody on the way reads the same request: where it ends, and for which site it is. The parser refuses most
 * of what is doubtful; it lets pass other codings than `chunked`, a second Host, and versions that are none of its own.
 */
export function isUnambiguous({ headers, rawHeaders, httpVersionMajor, httpVersion }: IncomingMessage): boolean {
  if (httpVersionMajor !== 1 || !hasOneHost(rawHeaders)) return false;
  const coding = headers['transfer-encoding'];
  if (coding === undefined) return true;
  return coding.toLowerCase() === 'chunked' && headers['content-length'] === undefined && httpVersion === '1.1';
}

/** Whether a body follows the head. */
export function hasBody(headers: IncomingHttpHeaders): boolean {
  const length = headers['content-length'];
  return headers['transfer-encoding'] !== undefined || (length !== undefined && length !== '0');
}

function hasOneHost(rawHeaders: readonly string[]): boolean {
  let hosts = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] as string;
    if (name.length === 4 && (name === 'Host' || name.toLowerCase() === 'host')) hosts++;
  }
  return hosts === 1;
}
