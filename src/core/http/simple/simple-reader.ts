import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { readSimpleRequest, type SimpleRequest } from './simple-request.ts';

/** A simple request with whose connection it came over. */
export interface SimpleVisit extends Omit<SimpleRequest, 'isLast'> {
  remoteAddress: string | undefined;
  isSecure: boolean;
}

/** The whole answer where it is at hand, head and body, ready to be sent. */
export type AnswerAtOnce = (visit: SimpleVisit) => Buffer | undefined;

/** Whoever meets a fault here meets it once more where it is told. */
export function withoutFaults(atOnce: AnswerAtOnce): AnswerAtOnce {
  return (visit) => {
    try {
      return atOnce(visit);
    } catch {
      return undefined;
    }
  };
}

interface Options {
  answer: AnswerAtOnce;
  /** Makes the connection one of Node's server. */
  toNode: (socket: Socket) => void;
  idleMs: number;
}

type Listener = (chunk: Buffer) => void;

const LAST = 'Connection: close\r\n';

/** Who asks for much and reads nothing of it is not listened to for as long. */
const MOST_UNREAD_BYTES = 64 * 1024;

/**
 * Looks at what comes over a connection before Node's server does. What Node makes of a request and its answer costs more than all that we do for one that is
 * answered from memory, so a simple request with such an answer is answered here. Everything else is given to Node as it came: a simple request in one
 * piece, so that Node is between two requests when it has answered; and from anything else on, the connection is Node's alone.
 */
export class SimpleReader {
  readonly #socket: Socket;
  readonly #options: Options;
  readonly #remoteAddress: string | undefined;
  readonly #isSecure: boolean;
  /** What Node reads this connection with, once it has had it. */
  #nodeReads: Listener | undefined;
  /** What Node was given and has not answered yet. */
  #withNode = 0;

  constructor(socket: Socket, options: Options) {
    this.#socket = socket;
    this.#options = options;
    this.#remoteAddress = socket.remoteAddress;
    this.#isSecure = (socket as TLSSocket).encrypted === true;
    socket.setTimeout(options.idleMs);
    socket.on('data', this.#read).on('end', this.#end).on('timeout', this.#destroy).on('error', this.#destroy);
  }

  /** Node has answered one of those that it was given. */
  answered(): void {
    this.#withNode--;
  }

  readonly #read: Listener = (chunk) => {
    const request = readSimpleRequest(chunk);
    if (!request) return this.#leave(chunk);
    const answer = this.#withNode === 0 ? this.#answerTo(request) : undefined;
    if (answer) return request.isLast ? this.#sendLast(answer) : this.#send(answer);
    this.#withNode++;
    this.#nodeReads ??= this.#attach();
    this.#nodeReads(chunk);
  };

  #answerTo({ url, headers }: SimpleRequest): Buffer | undefined {
    return this.#options.answer({ url, headers, remoteAddress: this.#remoteAddress, isSecure: this.#isSecure });
  }

  #send(answer: Buffer): void {
    const socket = this.#socket;
    socket.write(answer);
    if (socket.writableLength <= MOST_UNREAD_BYTES) return;
    socket.pause();
    socket.once('drain', () => socket.resume());
  }

  #sendLast(answer: Buffer): void {
    const socket = this.#socket;
    const headers = answer.indexOf('\n') + 1;
    socket.off('data', this.#read).resume();
    socket.cork();
    socket.write(answer.subarray(0, headers));
    socket.write(LAST);
    socket.write(answer.subarray(headers));
    socket.uncork();
    socket.destroySoon();
  }

  /** For good: where a request ends, or that it ends at all, is for Node to say. */
  #leave(chunk: Buffer): void {
    const nodeReads = this.#nodeReads ?? this.#attach();
    this.#socket.off('data', this.#read).on('data', nodeReads);
    nodeReads(chunk);
  }

  /** Node's server has the connection from now on, but for what comes over it. */
  #attach(): Listener {
    const socket = this.#socket;
    socket.setTimeout(0);
    socket.off('data', this.#read).off('end', this.#end).off('timeout', this.#destroy).off('error', this.#destroy);
    this.#options.toNode(socket);
    const [nodeReads] = socket.listeners('data') as [Listener];
    // Node reads past JavaScript where nobody listens but itself, and stops doing so when somebody does.
    socket.off('data', nodeReads).on('data', this.#read);
    return nodeReads;
  }

  readonly #end = () => this.#socket.end();
  readonly #destroy = () => this.#socket.destroy();
}
