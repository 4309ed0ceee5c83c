import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import { CHANNEL } from './starter-messages.ts';

/** A program that was started for us, much like a child process. */
export class StartedProgram extends EventEmitter<{
  exit: [code: number | null, signal: NodeJS.Signals | null];
  /** It has ended, and all that it wrote was read. */
  close: [code: number | null, signal: NodeJS.Signals | null];
  /** It went on writing long after nobody wanted more. */
  flooded: [];
  message: [unknown];
}> {
  readonly pid: number;
  readonly stdin: Socket | undefined;
  readonly stdout: Socket;
  readonly stderr: Socket;
  readonly #channel: Socket | undefined;
  exitCode: number | null = null;
  signalCode: NodeJS.Signals | null = null;
  #openStreams = 0;
  #hasEnded = false;

  constructor(pid: number, streams: ReadonlyMap<number, Socket>) {
    super();
    this.pid = pid;
    [this.stdin, this.#channel] = [streams.get(0), streams.get(CHANNEL)];
    [this.stdout, this.stderr] = [streams.get(1) as Socket, streams.get(2) as Socket];
    // It writes nothing there; so we hear when it reads no more.
    this.stdin?.resume();
    for (const socket of streams.values()) {
      // Whoever uses the stream may listen as well; what is gone is gone.
      socket.on('error', () => {});
      if (socket === this.stdin) continue;
      this.#openStreams++;
      socket.once('close', () => {
        this.#openStreams--;
        this.#look();
      });
    }
    if (this.#channel) this.#hear(this.#channel);
  }

  get connected(): boolean {
    return this.#channel !== undefined && !this.#channel.destroyed;
  }

  /** To a program of Node, as a message of its parent. */
  send(message: object): void {
    this.#channel?.write(`${JSON.stringify(message)}\n`);
  }

  kill(signal: NodeJS.Signals): void {
    if (this.#hasEnded) return;
    try {
      process.kill(this.pid, signal);
    } catch {
      // It ended in this very moment.
    }
  }

  /** Called by whoever started it. */
  ended(code: number | null, signal: NodeJS.Signals | null): void {
    [this.exitCode, this.signalCode, this.#hasEnded] = [code, signal, true];
    this.emit('exit', code, signal);
    // What nobody reads would keep the end from being heard of.
    for (const stream of [this.stdout, this.stderr]) if (stream.listenerCount('data') === 0) stream.resume();
    this.#look();
  }

  #look(): void {
    if (this.#hasEnded && this.#openStreams === 0) this.emit('close', this.exitCode, this.signalCode);
  }

  #hear(channel: Socket): void {
    let rest = '';
    channel.setEncoding('utf8').on('data', (text: string) => {
      const lines = (rest + text).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) this.emit('message', parse(line));
    });
  }
}

/** Whoever got to speak there may be anybody. */
function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
