import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { RawHeaders } from '../raw-headers.ts';

/** Takes an answer's body as it comes. */
export interface BodySink {
  /** Returns false where no more is wanted until `resume`. */
  data(chunk: Buffer): boolean;
  end(): void;
  /** The answer broke off. */
  fail(): void;
}

/** An answer whose head is there and whose body may still come. */
export interface AnswerSource {
  readonly status: number;
  readonly rawHeaders: readonly string[];
  /** The whole body where all of it is there already, for it then can be sent in one piece. */
  takeWhole(): Buffer | undefined;
  /** Begins the flow of the body. */
  attach(sink: BodySink): void;
  resume(): void;
  /** Breaks the answer off. */
  destroy(): void;
}

export function fromMessage(message: IncomingMessage): AnswerSource {
  return {
    status: message.statusCode ?? 502,
    rawHeaders: message.rawHeaders,
    takeWhole: () => undefined,
    attach(sink) {
      let isComplete = false;
      message.on('data', (chunk: Buffer) => {
        if (!sink.data(chunk)) message.pause();
      });
      message.once('end', () => {
        isComplete = true;
        sink.end();
      });
      // What matters of an error is that the answer is not complete.
      message.on('error', () => undefined);
      message.once('close', () => {
        if (!isComplete) sink.fail();
      });
    },
    resume: () => void message.resume(),
    destroy: () => void message.destroy(),
  };
}

/** Headers by their lower-case names. Repeated ones are joined, except Set-Cookie, as node:http does. */
export function headersByName(rawHeaders: RawHeaders): IncomingHttpHeaders {
  const headers: IncomingHttpHeaders = {};
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = (rawHeaders[index] as string).toLowerCase();
    const value = rawHeaders[index + 1] as string;
    const before = headers[name];
    if (name === 'set-cookie') {
      headers[name] ??= [];
      headers[name].push(value);
    } else headers[name] = before === undefined ? value : `${before}, ${value}`;
  }
  return headers;
}
