import type { Socket } from 'node:net';
import type { Lease } from '#runtimes/runtime.ts';
import type { RawHeaders } from '../raw-headers.ts';
import { type AnswerHead, AnswerParser, type ParserEvents } from './answer-parser.ts';
import type { BodyTarget } from './body.ts';
import { type AnswerFlow, SiteAnswer } from './site-answer.ts';

/** One request over a connection, and what becomes of it: an answer, then exactly one of `ended` and `failed`. */
export interface Exchange {
  method: string;
  path: string;
  headers: RawHeaders;
  sendBody?: (target: BodyTarget) => Promise<void>;
  answered(answer: SiteAnswer): void;
  /** The answer is complete. */
  ended(): void;
  /** The connection broke or what came was no answer. */
  failed(error: Error): void;
}

const MAX_IDLE = 32;
/** Servers keep idle connections for seconds, so that one used this shortly ago is still there. */
const SURELY_OPEN_MS = 500;

/** Kept connections to the processes of sites, by door. The one used last is taken first, so that spare ones age. */
export class SiteConnections {
  readonly #idle = new Map<string, SiteConnection[]>();
  #isClosed = false;

  /**
   * Sends over a kept connection where there is one. A request that can not be repeated takes none that the site may be
   * about to close. Returns the connection, to be destroyed if nobody waits any more.
   */
  send(lease: Lease, exchange: Exchange, isRepeatable: boolean): SiteConnection {
    let kept = this.#idle.get(lease.door)?.pop();
    if (kept && !isRepeatable && performance.now() - kept.idleSinceMs > SURELY_OPEN_MS) {
      this.keep(kept);
      kept = undefined;
    }
    const connection = kept ?? new SiteConnection(lease, this);
    connection.send(exchange);
    return connection;
  }

  keep(connection: SiteConnection): void {
    const idle = this.#idle.get(connection.door) ?? [];
    if (idle.length === 0) this.#idle.set(connection.door, idle);
    if (idle.length < MAX_IDLE && !this.#isClosed) idle.push(connection);
    else connection.destroy();
  }

  forget(connection: SiteConnection): void {
    const idle = this.#idle.get(connection.door);
    const index = idle?.indexOf(connection) ?? -1;
    if (index >= 0) idle?.splice(index, 1);
    if (idle?.length === 0) this.#idle.delete(connection.door);
  }

  close(): void {
    this.#isClosed = true;
    for (const idle of [...this.#idle.values()]) for (const connection of [...idle]) connection.destroy();
  }
}

export class SiteConnection implements ParserEvents, AnswerFlow {
  readonly door: string;
  readonly #owner: SiteConnections;
  readonly #socket: Socket;
  #exchange: Exchange | undefined;
  readonly #parser = new AnswerParser(this);
  #answer: SiteAnswer | undefined;
  #keepsAlive = false;
  #isBodySent = true;
  #uses = 0;
  idleSinceMs = 0;

  constructor(lease: Lease, owner: SiteConnections) {
    this.door = lease.door;
    this.#owner = owner;
    this.#socket = lease.connect();
    this.#socket.on('data', (chunk: Buffer) => this.#receive(chunk));
    this.#socket.on('end', () => this.#receiveEnd());
    this.#socket.on('error', (error) => this.#break(error));
    this.#socket.once('close', () => {
      this.#owner.forget(this);
      this.#break(new Error('the site closed the connection'));
    });
  }

  /** It carried a request before, so that the site may have closed it in the very moment it was taken. */
  get wasIdle(): boolean {
    return this.#uses > 1;
  }

  send(exchange: Exchange): void {
    this.#uses++;
    this.#exchange = exchange;
    this.#isBodySent = exchange.sendBody === undefined;
    this.#parser.begin(exchange.method === 'HEAD');
    this.#socket.write(requestHead(exchange), 'latin1');
    exchange.sendBody?.(this.#bodyTarget(exchange)).catch((error) => {
      this.#break(error);
      this.destroy();
    });
  }

  pause(): void {
    this.#socket.pause();
  }

  resume(): void {
    if (this.#socket.isPaused()) this.#socket.resume();
  }

  destroy(): void {
    this.#socket.destroy();
  }

  #receive(chunk: Buffer): void {
    const exchange = this.#exchange;
    const before = this.#answer;
    try {
      // An idle connection that speaks is of no use any more.
      if (!exchange) throw new Error('the site spoke unasked');
      this.#parser.push(chunk);
    } catch (error) {
      this.#break(error as Error);
      this.destroy();
      return;
    }
    // Told after the whole piece was read, so that a small answer is complete by then.
    if (this.#answer && this.#answer !== before) exchange.answered(this.#answer);
    if (this.#parser.isDone) this.#finish(exchange);
  }

  #receiveEnd(): void {
    const exchange = this.#exchange;
    try {
      this.#parser.close();
      if (exchange) this.#finish(exchange);
    } catch (error) {
      this.#break(error as Error);
    }
    this.destroy();
  }

  head({ status, rawHeaders, keepsAlive }: AnswerHead): void {
    this.#keepsAlive = keepsAlive;
    this.#answer = new SiteAnswer(status, rawHeaders, this);
  }

  data(chunk: Buffer): void {
    this.#answer?.receive(chunk);
  }

  end(trailers: RawHeaders): void {
    this.#answer?.complete(trailers);
  }

  #finish(exchange: Exchange): void {
    this.#exchange = undefined;
    this.#answer = undefined;
    if (this.#keepsAlive && this.#isBodySent && this.#socket.writable) {
      this.resume();
      this.idleSinceMs = performance.now();
      this.#owner.keep(this);
    } else this.destroy();
    exchange.ended();
  }

  #break(error: Error): void {
    const exchange = this.#exchange;
    if (!exchange) return;
    this.#exchange = undefined;
    this.#answer?.breakOff();
    exchange.failed(error);
  }

  /** With a length the body goes as it is, else in chunks. */
  #bodyTarget({ headers }: Exchange): BodyTarget {
    const socket = this.#socket;
    const isChunked = !headers.some((name, index) => index % 2 === 0 && name.toLowerCase() === 'content-length');
    return {
      write: (chunk) => {
        if (!isChunked) return socket.write(chunk);
        socket.cork();
        socket.write(`${chunk.length.toString(16)}\r\n`, 'latin1');
        socket.write(chunk);
        const isTaken = socket.write('\r\n', 'latin1');
        socket.uncork();
        return isTaken;
      },
      end: () => {
        if (isChunked) socket.write('0\r\n\r\n', 'latin1');
        this.#isBodySent = true;
      },
      whenDrained: (resume) => void socket.once('drain', resume),
    };
  }
}

function requestHead({ method, path, headers, sendBody }: Exchange): string {
  let text = `${method} ${path} HTTP/1.1\r\n`;
  let hasLength = false;
  for (let index = 0; index < headers.length; index += 2) {
    const name = headers[index] as string;
    if (name.length === 14 && name.toLowerCase() === 'content-length') hasLength = true;
    text += `${name}: ${headers[index + 1]}\r\n`;
  }
  return sendBody && !hasLength ? `${text}Transfer-Encoding: chunked\r\n\r\n` : `${text}\r\n`;
}
