import type { IncomingHttpHeaders } from 'node:http';
import { SiteFailure } from '#runtimes/runtime.ts';
import type { RawHeaders } from '../raw-headers.ts';
import { type AnswerSource, type BodySink, headersByName } from './answer.ts';

/** What an answer needs of the connection that it comes over. */
export interface AnswerFlow {
  pause(): void;
  resume(): void;
  destroy(): void;
}

/** An answer of a site's process. What comes before somebody attaches a sink is held. */
export class SiteAnswer implements AnswerSource {
  readonly status: number;
  readonly rawHeaders: RawHeaders;
  readonly #flow: AnswerFlow;
  #headers: IncomingHttpHeaders | undefined;
  #trailers: IncomingHttpHeaders = {};
  #held: Buffer[] = [];
  #sink: BodySink | undefined;
  #outcome: 'complete' | 'broken' | undefined;
  #onTrailers: ((trailers: IncomingHttpHeaders) => void) | undefined;

  constructor(status: number, rawHeaders: RawHeaders, flow: AnswerFlow) {
    this.status = status;
    this.rawHeaders = rawHeaders;
    this.#flow = flow;
  }

  get headers(): IncomingHttpHeaders {
    this.#headers ??= headersByName(this.rawHeaders);
    return this.#headers;
  }

  /** One header by its lower-case name, for those who need no more than one or two. */
  header(name: string): string | undefined {
    for (let index = 0; index < this.rawHeaders.length; index += 2) {
      const candidate = this.rawHeaders[index] as string;
      if (candidate.length === name.length && candidate.toLowerCase() === name) return this.rawHeaders[index + 1];
    }
    return undefined;
  }

  get trailers(): IncomingHttpHeaders {
    return this.#trailers;
  }

  /** Called with the trailers when the answer is complete, before whoever reads it learns that. */
  whenTrailersCome(take: (trailers: IncomingHttpHeaders) => void): void {
    if (this.#outcome === 'complete') take(this.#trailers);
    else this.#onTrailers = take;
  }

  takeWhole(): Buffer | undefined {
    if (this.#outcome !== 'complete' || this.#sink) return undefined;
    return this.#held.length === 1 ? this.#held[0] : Buffer.concat(this.#held);
  }

  attach(sink: BodySink): void {
    this.#sink = sink;
    let isWanted = true;
    for (const chunk of this.#held) isWanted = sink.data(chunk);
    this.#held = [];
    if (this.#outcome === 'complete') sink.end();
    else if (this.#outcome === 'broken') sink.fail();
    else if (isWanted) this.#flow.resume();
  }

  resume(): void {
    if (!this.#outcome) this.#flow.resume();
  }

  /** Breaks off what is still coming. A finished answer's connection may serve somebody else by now. */
  destroy(): void {
    if (!this.#outcome) this.#flow.destroy();
  }

  /** The whole body, for whoever needs it in one piece. Undefined: it is larger than that, and was broken off. */
  readAll(limitBytes: number): Promise<Buffer | undefined> {
    return new Promise((resolve, reject) => {
      const chunks: Buffer[] = [];
      let sizeBytes = 0;
      this.attach({
        data: (chunk) => {
          sizeBytes += chunk.length;
          if (sizeBytes <= limitBytes) chunks.push(chunk);
          else {
            resolve(undefined);
            this.destroy();
          }
          return true;
        },
        end: () => resolve(Buffer.concat(chunks)),
        fail: () => reject(new SiteFailure('crash', 'the answer broke off')),
      });
    });
  }

  /** From the connection. */
  receive(chunk: Buffer): void {
    if (!this.#sink) {
      this.#held.push(chunk);
      this.#flow.pause();
    } else if (!this.#sink.data(chunk)) this.#flow.pause();
  }

  complete(trailers: RawHeaders): void {
    if (trailers.length > 0) this.#trailers = headersByName(trailers);
    this.#outcome = 'complete';
    this.#onTrailers?.(this.#trailers);
    this.#sink?.end();
  }

  breakOff(): void {
    if (this.#outcome) return;
    this.#outcome = 'broken';
    this.#sink?.fail();
  }
}
