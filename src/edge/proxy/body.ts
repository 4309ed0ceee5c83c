import type { ClientRequest, IncomingMessage } from 'node:http';

/** Whether the length that the visitor announces is more than is taken. */
export function announcesTooMuch(request: IncomingMessage, limitBytes: number): boolean {
  return Number(request.headers['content-length'] ?? 0) > limitBytes;
}

/** Where a visitor's body goes. */
export interface BodyTarget {
  /** Returns false where no more is wanted until it is drained. */
  write(chunk: Buffer): boolean;
  end(): void;
  whenDrained(resume: () => void): void;
}

export function toRequest(request: ClientRequest): BodyTarget {
  return {
    write: (chunk) => request.write(chunk),
    end: () => void request.end(),
    whenDrained: (resume) => void request.once('drain', resume),
  };
}

/**
 * Passes the visitor's body on as it comes, no faster than the upstream takes it. A body of unknown length is counted
 * on the way.
 */
export function sendBody(
  request: IncomingMessage,
  target: BodyTarget,
  limitBytes: number,
  onTooLarge: () => void,
): void {
  let sizeBytes = 0;
  const resume = () => void request.resume();
  request.on('data', (chunk: Buffer) => {
    sizeBytes += chunk.length;
    if (sizeBytes > limitBytes) {
      request.pause();
      return onTooLarge();
    }
    if (!target.write(chunk)) {
      request.pause();
      target.whenDrained(resume);
    }
  });
  request.once('end', () => target.end());
}
