import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import { INPUT } from './starter-messages.ts';

/** A program that was started for us, much like a child process. */
export class StartedProgram extends EventEmitter<{
  /** It went on writing long after nobody wanted more. */
  flooded: [];
  /** It has ended, and all that it wrote was read. */
  close: [code: number | null, signal: NodeJS.Signals | null];
}> {
  readonly pid: number;
  readonly stdin: Socket | undefined;
  readonly stdout: Socket;
  readonly stderr: Socket;
  #openStreams = 2;
  #end: [code: number | null, signal: NodeJS.Signals | null] | undefined;

  constructor(pid: number, streams: ReadonlyMap<number, Socket>) {
    super();
    this.pid = pid;
    this.stdin = streams.get(INPUT);
    [this.stdout, this.stderr] = [streams.get(1) as Socket, streams.get(2) as Socket];
    // It writes nothing there; so we hear when it reads no more.
    this.stdin?.resume();
    // Whoever uses a stream may listen as well; what is gone is gone.
    for (const socket of streams.values()) socket.on('error', () => {});
    for (const output of [this.stdout, this.stderr])
      output.once('close', () => {
        this.#openStreams--;
        this.#look();
      });
  }

  /** Called by whoever started it. */
  ended(code: number | null, signal: NodeJS.Signals | null): void {
    this.#end = [code, signal];
    // What nobody reads would keep the end from being heard of.
    for (const output of [this.stdout, this.stderr]) if (output.listenerCount('data') === 0) output.resume();
    this.#look();
  }

  #look(): void {
    if (this.#end && this.#openStreams === 0) this.emit('close', ...this.#end);
  }
}
