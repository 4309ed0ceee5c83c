import type { ServerResponse } from 'node:http';
import { httpDate } from '../clock.ts';
import { CompressedBody, type CompressedBodyOptions } from '../compression/compressed-body.ts';
import type { RawHeaders } from '../raw-headers.ts';
import { canSendRaw, headText, sendWhole } from '../ready-answer.ts';
import type { AnswerSource } from './answer.ts';

export interface RelayOptions {
  source: AnswerSource;
  headers: RawHeaders;
  /** Sees each part of the body on its way. */
  tap?: (chunk: Buffer) => void;
  /** Called when the answer is complete, before the visitor sees its end. */
  beforeEnd?: () => void;
  /** Whether to read on when the visitor is slow or has gone. */
  readOn?: () => boolean;
  /** How it is compressed on the way, if at all; the headers say so already. */
  compress?: Pick<CompressedBodyOptions, 'coding' | 'allowance' | 'isEndless'>;
  /** Gives up a visitor who takes nothing for so long. */
  stallMs?: number;
}

/**
 * Passes an answer on as it comes, no faster than the visitor takes it. Resolves with true when all of it arrived from
 * the upstream, and with false when it broke off; the visitor then sees the connection break too, and never a short
 * answer that looks whole.
 */
export function relay(response: ServerResponse, options: RelayOptions): Promise<boolean> {
  const { source, headers, tap, beforeEnd, readOn, stallMs } = options;
  const isHead = response.req.method === 'HEAD';
  const compress = isHead ? undefined : options.compress;
  const whole = compress ? undefined : source.takeWhole();
  if (whole && canSendRaw(response) && !isHead) {
    tap?.(whole);
    beforeEnd?.();
    const { status } = source;
    sendWhole(response, status, headText(status, completed(headers, status, whole.length)), whole);
    return Promise.resolve(true);
  }
  return new Promise((resolve) => {
    let isOver = false;
    const end = (isComplete: boolean) => {
      if (isOver) return;
      isOver = true;
      if (!isComplete) response.destroy();
      resolve(isComplete);
    };
    const leave = () => {
      if (isOver) return;
      if (readOn?.()) source.resume();
      else source.destroy();
    };
    if (stallMs !== undefined) response.setTimeout(stallMs, () => response.destroy());
    const body = compress ? new CompressedBody({ ...compress, response, onRoom: () => source.resume() }) : response;
    if (!compress) response.on('drain', () => source.resume());
    response.once('close', leave);
    if (response.destroyed) leave();
    else response.writeHead(source.status, headers);
    source.attach({
      data: (chunk) => {
        tap?.(chunk);
        return response.destroyed || body.write(chunk) || (readOn?.() ?? false);
      },
      end: () => {
        beforeEnd?.();
        body.end();
        end(true);
      },
      fail: () => end(false),
    });
  });
}

/** An answer that is there as a whole has a length and a date, whether the upstream said so or not. */
function completed(headers: RawHeaders, status: number, sizeBytes: number): RawHeaders {
  let hasLength = status === 204 || status === 304;
  let hasDate = false;
  for (let index = 0; index < headers.length; index += 2) {
    const name = headers[index] as string;
    if (name.length === 14) hasLength ||= name.toLowerCase() === 'content-length';
    else if (name.length === 4) hasDate ||= name.toLowerCase() === 'date';
  }
  if (!hasLength) headers.push('Content-Length', String(sizeBytes));
  if (!hasDate) headers.push('Date', httpDate(Date.now()));
  return headers;
}
