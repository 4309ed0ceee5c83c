import type { ClientRequest, IncomingMessage } from 'node:http';

/** Whether the length that the visitor announces is more than is taken. */
export function announcesTooMuch(request: IncomingMessage, limitBytes: number): boolean {
  return Number(request.headers['content-length'] ?? 0) > limitBytes;
}

/**
 * Passes the visitor's body on as it comes, no faster than the upstream takes it. A body of unknown length is counted
 * on the way. An upstream that answers early and reads no further leaves the rest unread.
 */
export function sendBody(
  request: IncomingMessage,
  upstream: ClientRequest,
  limitBytes: number,
  onTooLarge: () => void,
): void {
  let sizeBytes = 0;
  const resume = () => void request.resume();
  upstream.on('drain', resume);
  request.on('data', (chunk: Buffer) => {
    sizeBytes += chunk.length;
    if (sizeBytes > limitBytes) {
      request.pause();
      return onTooLarge();
    }
    if (!upstream.destroyed && !upstream.write(chunk)) request.pause();
  });
  request.once('end', () => upstream.end());
  upstream.once('close', resume);
}
