import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RawHeaders } from './headers.ts';

export interface RelayOptions {
  message: IncomingMessage;
  headers: RawHeaders;
  /** Sees each part of the body on its way. */
  tap?: (chunk: Buffer) => void;
  /** Called when the answer is complete, before the visitor sees its end. */
  beforeEnd?: () => void;
  /** Whether to read on after the visitor has gone. */
  readOn?: () => boolean;
}

/**
 * Passes an answer on as it comes, no faster than the visitor takes it. Resolves with true when all of it arrived from
 * the upstream, and with false when it broke off; the visitor then sees the connection break too, and never a short
 * answer that looks whole.
 */
export function relay(response: ServerResponse, options: RelayOptions): Promise<boolean> {
  const { message, headers, tap, beforeEnd, readOn } = options;
  return new Promise((resolve) => {
    let isComplete = false;
    const resume = () => void message.resume();
    const leave = () => {
      if (isComplete) return;
      if (readOn?.()) message.resume();
      else message.destroy();
    };
    response.on('drain', resume);
    response.once('close', leave);
    message.on('data', (chunk: Buffer) => {
      tap?.(chunk);
      if (!response.destroyed && !response.write(chunk)) message.pause();
    });
    message.once('end', () => {
      isComplete = true;
      beforeEnd?.();
      response.end();
    });
    // What matters of an error is that the answer is not complete.
    message.on('error', () => undefined);
    message.once('close', () => {
      if (!isComplete) response.destroy();
      resolve(isComplete);
    });
    if (response.destroyed) leave();
    else response.writeHead(message.statusCode ?? 502, headers);
  });
}
